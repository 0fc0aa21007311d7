export { makeHookRunner, type RanHook } from './hook-runner.ts';
