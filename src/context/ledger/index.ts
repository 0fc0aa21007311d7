export { type ContextOptions, contextLedger } from './ledger.ts';
export { tokenizerFactor } from './model-habits.ts';
export { lineTokens, valueTokens } from './pieces.ts';
