export { makeGlobTool } from './glob.ts';
export { makeGrepTool } from './grep.ts';
export type { RipgrepPath } from './ripgrep.ts';
