// An estimate of what stripping frees → a table, or JSON.

import type { JsonObject } from '../../base/json/json.ts';
import { formatBytes, formatCount, formatTokens } from '../../base/text/human.ts';
import type { StripEstimate, StripRow } from '../../surgery/strip/strip-estimate.ts';
import { formatCost } from '../render/money.ts';
import { renderTable, type TableOptions } from '../render/table.ts';

const columns = [
  { header: 'flag', flex: true, minWidth: 14 },
  { header: 'frees tokens', align: 'right' },
  { header: 'bytes', align: 'right' },
  { header: 'lines', align: 'right' },
  { header: 'cache to rewrite', align: 'right' },
  { header: 'cost', align: 'right' },
] as const;

export function estimateText(sessionId: string, estimate: StripEstimate, options: TableOptions): string {
  const rows = estimate.rows.map((row) => [
    flagOf(row),
    formatTokens(row.freedTokens),
    formatBytes(row.freedBytes),
    formatCount(row.lines),
    formatTokens(row.rewriteTokens),
    row.rewriteCostMicroUsd === undefined ? 'unpriced' : formatCost(row.rewriteCostMicroUsd),
  ]);
  return [
    renderTable(columns, rows, options),
    '',
    `Resuming ${sessionId.slice(0, 8)} sends about ${formatTokens(estimate.contextTokens)} tokens${estimate.model === undefined ? '' : ` to ${estimate.model}`} (estimated).`,
    'After the first change the prompt cache has to be written again.',
    'Nothing was changed: choose what to strip, for example `--tools`.',
    '',
  ].join('\n');
}

function flagOf({ kind, options }: StripRow): string {
  switch (kind) {
    case 'truncateResults':
      return `--truncate-results ${options.truncateResults}`;
    case 'truncateInputs':
      return `--truncate-inputs ${options.truncateInputs}`;
    default:
      return `--${kind}`;
  }
}

export function estimateJson(sessionId: string, path: string, estimate: StripEstimate): JsonObject {
  const { model, contextTokens, rows } = estimate;
  return {
    operation: 'strip',
    sessionId,
    path,
    model: model ?? null,
    contextTokens,
    rows: rows.map((row) => ({
      flag: flagOf(row),
      freedTokens: row.freedTokens,
      freedBytes: row.freedBytes,
      lines: row.lines,
      rewriteTokens: row.rewriteTokens,
      rewriteCostMicroUsd: row.rewriteCostMicroUsd ?? null,
    })),
  };
}
