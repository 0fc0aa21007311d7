// The view of a session that the user chose, as it is in the address: `?view=errors&tool=Bash`.

/** The first is the default. */
export const viewNames = ['conversation', 'all', 'prompts', 'errors'] as const;
export type ViewName = (typeof viewNames)[number];

export interface ViewFilter {
  readonly view: ViewName;
  /** Only calls of these tools; empty: everything of the view. */
  readonly tools: readonly string[];
}

export const plainFilter: ViewFilter = { view: 'conversation', tools: [] };

/** Only single blocks are shown, without the turns around them. */
export function isFiltered({ view, tools }: ViewFilter): boolean {
  return view === 'errors' || tools.length > 0;
}

const maxTools = 50;

export function readFilter(query: URLSearchParams): ViewFilter {
  const asked = query.get('view');
  const view = viewNames.find((name) => name === asked) ?? plainFilter.view;
  return { view, tools: view === 'prompts' ? [] : [...new Set(query.getAll('tool'))].slice(0, maxTools) };
}

export function writeFilter(query: URLSearchParams, { view, tools }: ViewFilter): void {
  if (view !== plainFilter.view) query.set('view', view);
  for (const tool of tools) query.append('tool', tool);
}
