// A context ledger → a table: one row for each kind, below it a row for each tool or server, with the flag that frees it.
import { formatCount, formatTokens } from '../../base/text/index.ts';
import { type ContextLedger, type ContextSlice, type SliceKind, sliceLabels } from '../../context/wire/index.ts';
import { type Cell, type Column, renderTable, type TableOptions, wrapSpans } from '../render/index.ts';
import { barOf } from '../usage/index.ts';

const columns: readonly Column[] = [
  { header: 'WHAT', flex: true, minWidth: 16 },
  { header: 'TOKENS', align: 'right' },
  { header: 'SHARE', align: 'right' },
  { header: '', minWidth: 4 },
  { header: 'LINES', align: 'right' },
  { header: 'FREE WITH', minWidth: 12 },
];

const barColumn = 3;
const barCells = 10;
/** Narrower terminals have no room for the bars. */
const leastWidthForBars = 72;
/** Rows below a kind; the rest is added up. */
const mostNames = 8;

export function contextText(ledger: ContextLedger, options: TableOptions): string {
  const { style, width } = options;
  const groups = groupsOf(ledger.slices);
  const rows = groups.flatMap((group) => rowsOf(group, ledger, options));
  const notes = notesFor(ledger).flatMap((note) =>
    wrapSpans([{ text: note, paint: style.muted }], width).map((line) => line.text),
  );
  const isShown = (_: unknown, i: number): boolean => i !== barColumn || width >= leastWidthForBars;
  const table = renderTable(
    columns.filter(isShown),
    rows.map((row) => row.filter(isShown)),
    options,
  );
  return `${[...headOf(ledger, options), '', table, '', ...notes].join('\n')}\n`;
}

function headOf(ledger: ContextLedger, { style, width }: TableOptions): readonly string[] {
  const { sessionId, agentId, branch, turn, model, tokens, limitTokens } = ledger;
  const room = limitTokens === null ? '' : ` of ${formatTokens(limitTokens)} (${percent(tokens / limitTokens)})`;
  const facts = [
    agentId === null ? sessionId.slice(0, 8) : `sub-agent ${agentId}`,
    ...(branch === 1 ? [] : [`branch ${branch}`]),
    ...(turn === null || turn === 0 ? [] : [`turn ${turn} of ${ledger.turns.length}`]),
    ...(model === null ? [] : [model]),
    `${formatTokens(tokens)}${room} tokens`,
  ];
  return wrapSpans([{ text: facts.join(' · '), paint: style.bold }], width).map((line) => line.text);
}

interface Group {
  readonly kind: SliceKind;
  readonly tokens: number;
  readonly slices: readonly ContextSlice[];
}

function groupsOf(slices: readonly ContextSlice[]): readonly Group[] {
  const byKind = new Map<SliceKind, ContextSlice[]>();
  for (const slice of slices) {
    if (slice.kind === 'silent') continue;
    byKind.set(slice.kind, [...(byKind.get(slice.kind) ?? []), slice]);
  }
  return [...byKind]
    .map(([kind, own]) => ({ kind, slices: own, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) }))
    .sort((a, b) => b.tokens - a.tokens);
}

function rowsOf({ kind, tokens, slices }: Group, ledger: ContextLedger, options: TableOptions): (readonly Cell[])[] {
  const label = labelOf(kind, ledger.slices);
  const lines = linesOf(slices);
  const [first] = slices;
  if (slices.length === 1 || slices.every(({ name }) => name === null)) {
    const name = first?.name ?? null;
    return [
      rowOf(
        { label: name === null ? label : `${label}: ${name}`, tokens, lines, command: freeText(first) },
        ledger,
        options,
      ),
    ];
  }
  const shown = slices.length <= mostNames + 1 ? slices : slices.slice(0, mostNames);
  const rest = slices.slice(shown.length);
  return [
    rowOf({ label, tokens, lines, command: '' }, ledger, options),
    ...shown.map((slice) =>
      rowOf(
        {
          label: `└ ${slice.name ?? 'other'}`,
          tokens: slice.tokens,
          lines: linesOf([slice]),
          command: freeText(slice),
          isPart: true,
        },
        ledger,
        options,
      ),
    ),
    ...(rest.length === 0
      ? []
      : [
          rowOf(
            {
              label: `└ ${formatCount(rest.length)} more`,
              tokens: rest.reduce((sum, slice) => sum + slice.tokens, 0),
              lines: linesOf(rest),
              command: '',
              isPart: true,
            },
            ledger,
            options,
          ),
        ]),
  ];
}

interface Row {
  readonly label: string;
  readonly tokens: number;
  readonly lines: string;
  readonly command: string;
  readonly isPart?: boolean;
}

function rowOf({ label, tokens, lines, command, isPart }: Row, ledger: ContextLedger, { style }: TableOptions): Cell[] {
  const share = ledger.tokens === 0 ? 0 : tokens / ledger.tokens;
  const paint = isPart === true ? style.muted : (text: string) => text;
  return [
    { text: label, paint },
    { text: formatTokens(tokens), paint },
    { text: percent(share), paint },
    isPart === true ? '' : { text: barOf(tokens / mostOf(ledger), barCells), paint: style.blue },
    { text: lines, paint },
    { text: command, paint: style.muted },
  ];
}

/** The largest kind: its bar is full. */
function mostOf({ slices }: ContextLedger): number {
  return Math.max(1, ...groupsOf(slices).map(({ tokens }) => tokens));
}

/** Older transcripts do not say what the system prompt and the tools are. */
function labelOf(kind: SliceKind, slices: readonly ContextSlice[]): string {
  const isWhole = kind === 'system' && slices.every((slice) => slice.kind !== 'system' || !slice.isRecorded);
  return isWhole ? 'system prompt, tools' : sliceLabels[kind];
}

function linesOf(slices: readonly ContextSlice[]): string {
  const count = slices.reduce((sum, { lineCount, isRecorded }) => sum + (isRecorded ? lineCount : 0), 0);
  return count === 0 ? '–' : formatCount(count);
}

/** `--tools Bash (39k)`: the command without what every row repeats. */
function freeText(slice: ContextSlice | undefined): string {
  if (slice?.free === null || slice === undefined) return '';
  const flags = slice.free.command.replace(/^clew strip \S+ /, '');
  return slice.free.tokens === slice.tokens ? flags : `${flags} (${formatTokens(slice.free.tokens)})`;
}

function notesFor(ledger: ContextLedger): readonly string[] {
  const { apiTokens, problem, request, slices } = ledger;
  const count =
    problem !== null
      ? `Estimated: ${problem}.`
      : apiTokens === null || request === null
        ? 'Estimated: no answer in the transcript has a count.'
        : `The API counted ${formatCount(apiTokens)} tokens for the request answered on line ${request.line}; the rows add up to that.`;
  const missing = slices.some(({ kind }) => kind === 'unrecorded')
    ? ['Not in the transcript: counted by the API, but on no line, such as reminders of older clients.']
    : [];
  const free = slices.some((slice) => slice.free !== null)
    ? [`Free with: clew strip ${ledger.sessionId.slice(0, 8)} FLAG --dry-run. A tool's number includes its calls.`]
    : [];
  return [count, ...missing, ...free];
}

function percent(share: number): string {
  const value = share * 100;
  return value > 0 && value < 1 ? '<1 %' : `${Math.round(value)} %`;
}
