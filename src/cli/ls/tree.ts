// Rows of `clew ls --tree` → one table with a heading for each repository, its worktrees included, and every session below
// the one that it came from.
import { counted, oneLine } from '../../base/text/index.ts';
import { isOriginKind } from '../../library/lineage/index.ts';
import { footerLines, type ListOptions, type Row, tableText, withoutHome } from './render.ts';

export function treeTable(rows: readonly Row[], ids: ReadonlyMap<string, string>, options: ListOptions): string {
  const { style, width } = options;
  const groups = groupRows(rows);
  const placed = groups.flatMap(({ nodes }) => nodes);
  const indents = new Map(
    placed.map(({ row, depth }) => [row.path, depth === 0 ? '' : `${'  '.repeat(Math.min(depth, mostIndents) - 1)}└ `]),
  );
  const indentOf = ({ path }: Row): string => indents.get(path) ?? '';
  const inOrder = placed.map(({ row }) => row);
  const [header = '', ...lines] = tableText(inOrder, ids, { ...options, indentOf, isWithoutFolders: true }).split('\n');
  const blocks = groups.flatMap(({ folder, nodes }) => {
    const heading = oneLine(`${withoutHome(folder)} · ${counted(nodes.length, 'session')}`, width);
    return ['', style.heading(heading), ...lines.splice(0, nodes.length)];
  });
  return `${[header, ...blocks, '', ...footerLines(rows, options)].join('\n')}\n`;
}

/** A chain of forks may be longer than a line. */
const mostIndents = 6;

interface TreeNode {
  readonly row: Row;
  readonly depth: number;
}

interface TreeGroup {
  readonly folder: string;
  readonly nodes: readonly TreeNode[];
}

/** The order of the rows decides the order of the groups and of the sessions that came from no other. */
export function groupRows(rows: readonly Row[]): readonly TreeGroup[] {
  const folders = new Map<string, Row[]>();
  for (const row of rows) {
    const folder = row.repository ?? row.cwd ?? row.project;
    const group = folders.get(folder);
    if (group === undefined) folders.set(folder, [row]);
    else group.push(row);
  }
  return [...folders].map(([folder, group]) => ({ folder, nodes: nestRows(group) }));
}

function nestRows(rows: readonly Row[]): readonly TreeNode[] {
  const listed = new Set(rows.map(({ path }) => path));
  const below = new Map<string, Row[]>();
  const tops: Row[] = [];
  for (const row of rows) {
    const origin = row.relations.find(({ kind, path }) => isOriginKind(kind) && path !== undefined && listed.has(path));
    if (origin?.path === undefined) tops.push(row);
    else below.set(origin.path, [...(below.get(origin.path) ?? []), row]);
  }
  const nodes: TreeNode[] = [];
  // A chain of thousands must not be a recursion.
  const pending: TreeNode[] = tops.map((row) => ({ row, depth: 0 })).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes.push(next);
    const { depth, row } = next;
    pending.push(...(below.get(row.path) ?? []).map((each) => ({ row: each, depth: depth + 1 })).reverse());
  }
  return nodes;
}
