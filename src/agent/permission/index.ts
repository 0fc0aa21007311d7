export { type Judge, makeJudge } from './judge.ts';
export { readProtection } from './path.ts';
