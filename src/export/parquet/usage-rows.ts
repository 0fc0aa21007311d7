// Counted messages → rows of the usage table: the same messages, tokens and prices as `clew usage`.
import type { PriceList } from '../../library/prices.ts';
import type { CountedMessage } from '../../session/usage.ts';
import type { TableRow } from './session-rows.ts';

export function* usageRows(messages: Iterable<CountedMessage>, prices: PriceList): Generator<TableRow> {
  for (const { line, usage, isLowerBound } of messages) {
    const row = {
      session_id: line.sessionId,
      message_id: line.messageId,
      request_id: line.requestId,
      timestamp: line.time,
      model: line.model,
      is_sidechain: line.isSidechain,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_5m_tokens: usage.cacheWrite5mTokens,
      cache_write_1h_tokens: usage.cacheWrite1hTokens,
      web_searches: usage.webSearches,
      is_fast: usage.fast,
      cost_micro_usd: prices.costOf(line.model, usage),
      is_lower_bound: isLowerBound,
    };
    yield { table: 'usage', row };
  }
}
