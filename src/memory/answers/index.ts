export { Memory, type MemoryOptions } from './memory.ts';
