export { assignEdits } from './assign.ts';
export { replay } from './replay.ts';
export type { Doubt, Origin, State } from './state.ts';
