export { type Encoded, isEncoded } from './encoded.ts';
export { failureOf, Refusal, type StatusFailure } from './refusal.ts';
