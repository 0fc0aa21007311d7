export { addedLines, assignEdits } from './assign.ts';
export { introducedBy } from './introduced.ts';
export { replay } from './replay.ts';
export type { Doubt, Origin, State } from './state.ts';
