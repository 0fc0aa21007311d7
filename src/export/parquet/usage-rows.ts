// Counted messages → rows of the usage table: the same messages, tokens and prices as `clew usage`.
import { billedTokens } from '../../format/entry/usage.ts';
import type { PriceList } from '../../models/price-list.ts';
import type { CountedMessage } from '../../session/usage/usage.ts';
import type { TableRow } from './session-rows.ts';

export function* usageRows(messages: Iterable<CountedMessage>, prices: PriceList): Generator<TableRow> {
  for (const { line, usage, isLowerBound } of messages) {
    const tokens = billedTokens(usage);
    const row = {
      session_id: line.sessionId,
      message_id: line.messageId,
      request_id: line.requestId,
      timestamp: line.time,
      model: line.model,
      is_sidechain: line.isSidechain,
      input_tokens: tokens.inputTokens,
      output_tokens: tokens.outputTokens,
      cache_read_tokens: tokens.cacheReadTokens,
      cache_write_5m_tokens: tokens.cacheWrite5mTokens,
      cache_write_1h_tokens: tokens.cacheWrite1hTokens,
      web_searches: usage.webSearches,
      is_fast: usage.fast,
      is_us_only: usage.usOnly,
      is_batch: usage.batch,
      cost_micro_usd: prices.costOf(line.model, usage, line.time),
      is_lower_bound: isLowerBound,
    };
    yield { table: 'usage', row };
  }
}
