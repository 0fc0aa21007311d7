export { Memory, type MemoryOptions } from './answers/index.ts';
export { referenceWords } from './reference/index.ts';
export { ancestorsOf } from './scope/index.ts';
export { serveMemory } from './server/index.ts';
