// A cell: the sums of one model, speed and quarter of an hour, as ten numbers.

export const cellWidth = 10;
/** Positions in a cell. */
export const cellFields = {
  /** The number of the model × 4, + 2 for fast mode, + 1 if a message has no stop reason. */
  model: 0,
  /** Of an hour since 1970; `NaN` without a time. */
  quarter: 1,
  messages: 2,
  inputTokens: 3,
  outputTokens: 4,
  cacheReadTokens: 5,
  cacheWrite5mTokens: 6,
  cacheWrite1hTokens: 7,
  /** `NaN` without a price. */
  costMicroUsd: 8,
} as const;

export const quarterMs: number = 15 * 60 * 1000;
