// /context: the tokens of the next request by category, as a bar and as a table. Each category has a mark of its own, so
// that the bar can be read without colour.
import type { ContextCategoryId, ContextPart, ContextUsage } from '../../../agent/contract/index.ts';
import { displayWidth, formatCount, formatTokens, oneLine, padEnd } from '../../../base/text/index.ts';
import type { Paint, Style } from '../../terminal/index.ts';
import type { Drawing } from './drawing.ts';

interface Look {
  readonly mark: string;
  readonly paint: (style: Style) => Paint;
}

const looks: Readonly<Record<ContextCategoryId, Look>> = {
  system_prompt: { mark: '█', paint: (style) => style.blue },
  system_tools: { mark: '▓', paint: (style) => style.cyan },
  mcp_tools: { mark: '▒', paint: (style) => style.magenta },
  mcp_instructions: { mark: '▤', paint: (style) => style.magenta },
  custom_agents: { mark: '▥', paint: (style) => style.yellow },
  memory_files: { mark: '▦', paint: (style) => style.yellow },
  skills: { mark: '▧', paint: (style) => style.red },
  messages: { mark: '■', paint: (style) => style.green },
  free_space: { mark: '·', paint: (style) => style.muted },
  autocompact_buffer: { mark: '╳', paint: (style) => style.muted },
};

const widestBar = 80;
const mostParts = 8;
const nearlyFull = 0.8;

export function contextLines(usage: ContextUsage, { style, columns }: Drawing): readonly string[] {
  const { model, windowTokens, usedTokens, basis, categories } = usage;
  const share = windowTokens === 0 ? 0 : usedTokens / windowTokens;
  const about = basis === 'anchored' ? 'as the API counted the last request' : 'estimated';
  const facts = `${formatTokens(usedTokens)} of ${formatTokens(windowTokens)} tokens (${percent(share)}), ${model}, ${about}`;
  const lists = [
    ['MCP tools', usage.mcpTools],
    ['Custom agents', usage.agents],
    ['Memory files', usage.memoryFiles],
    ['Skills', usage.skills],
  ] as const;
  return [
    style.heading('Context'),
    `  ${barOf(usage, style, Math.min(widestBar, Math.max(4, columns - 4)))}`,
    style.muted(`  ${oneLine(facts, columns - 3)}`),
    '',
    ...categories.map(({ id, name, tokens }) => {
      const { mark, paint } = looks[id];
      const numbers = `${formatTokens(tokens).padStart(7)}  ${percent(windowTokens === 0 ? 0 : tokens / windowTokens).padStart(5)}`;
      const width = Math.max(4, Math.min(22, columns - numbers.length - 7));
      return `  ${paint(style)(mark)} ${padEnd(oneLine(name, width), width)} ${style.muted(numbers)}`;
    }),
    ...lists.flatMap(([title, parts]) => partLines(title, parts, { style, columns })),
    ...(share >= nearlyFull
      ? [
          '',
          style.yellow(`  ${oneLine('Nearly full: /compact frees space, /clear starts a new session', columns - 3)}`),
        ]
      : []),
  ];
}

function percent(share: number): string {
  return share > 0 && share < 0.001 ? '<0.1%' : `${(100 * share).toFixed(1)}%`;
}

/** Every category with tokens has at least one cell, as long as there are enough. */
function barOf({ categories, windowTokens }: ContextUsage, style: Style, cells: number): string {
  const spare = Math.max(0, cells - categories.length);
  const ends = categories.map((_, i) => {
    const tokens = categories.slice(0, i + 1).reduce((sum, each) => sum + each.tokens, 0);
    return Math.min(cells, i + 1 + Math.round((spare * tokens) / Math.max(1, windowTokens)));
  });
  return categories
    .map(({ id }, i) => {
      const { mark, paint } = looks[id];
      const length = Math.max(0, (i === categories.length - 1 ? cells : (ends[i] ?? 0)) - (ends[i - 1] ?? 0));
      return length === 0 ? '' : paint(style)(mark.repeat(length));
    })
    .join('');
}

function partLines(
  title: string,
  parts: readonly ContextPart[],
  { style, columns }: Pick<Drawing, 'style' | 'columns'>,
): readonly string[] {
  if (parts.length === 0) return [];
  const shown = [...parts].sort((a, b) => b.tokens - a.tokens).slice(0, mostParts);
  const width = Math.max(4, Math.min(60, columns - 16));
  const rows = shown.map(({ name, source, tokens }) => {
    const label = oneLine(`${name}${source === '' ? '' : ` (${source})`}`, width);
    return `    ${label}${' '.repeat(width - displayWidth(label))} ${style.muted(formatCount(tokens).padStart(9))}`;
  });
  const hidden = parts.length - shown.length;
  return ['', `  ${style.bold(title)}`, ...rows, ...(hidden > 0 ? [style.muted(`    … ${hidden} more`)] : [])];
}
