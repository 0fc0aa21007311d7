export { type ContextOptions, contextLedger } from './ledger.ts';
