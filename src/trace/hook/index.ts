export { runHook } from './hook.ts';
