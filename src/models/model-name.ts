// Any name of a model → Anthropic's own name, which prices and facts use.

/** Longer texts are not model names. */
const maxNameChars = 256;

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-sonnet-4-5@20250929`, `anthropic/claude-sonnet-4.5` → Anthropic's own name. */
export function plainModelName(model: string): string {
  if (model.length > maxNameChars) return model;
  return model
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, '')
    .replace(/^.*[/:](?=[a-z.-]*claude)/, '')
    .replace(/^(?:[a-z0-9-]+\.)*(?=claude)/, '')
    .replace(/-v\d+(?::\d+)*$/, '')
    .replace(/:.*$/, '')
    .replace(/@(?:latest|default)$|-latest$/, '')
    .replace('@', '-')
    .replace(/(\d)\.(\d)/g, '$1-$2');
}

export function withoutModelDate(name: string): string {
  return name.replace(/-20\d{6}$/, '');
}

/** Clients append it to ask for a context of a million tokens. */
export function asksForLongContext(model: string): boolean {
  return /\[1m\]$/i.test(model);
}
