export type { AskHookModel } from './hook-request.ts';
export { type Hooks, type LateVerdict, makeHookRunner, type RanHook } from './hook-runner.ts';
export { readRequest } from './verdict.ts';
