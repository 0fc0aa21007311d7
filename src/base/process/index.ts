export { AsyncQueue } from './async-queue.ts';
export { findProgram, isProgram, pathOutside } from './find-program.ts';
export { type GuardedProcess, type Held, startGuarded } from './guarded-process.ts';
export { readJsonInput } from './json-input.ts';
export { findStranger, isSecret, makeSecret } from './local-guard.ts';
export {
  collectGarbage,
  growSlowly,
  largeFileBytes,
  optimiseAsUsual,
  optimiseLess,
  preferSmallMemory,
} from './memory.ts';
export { nativeCall, newNativeCallState, shareNativeCalls, terminateWorker } from './native-calls.ts';
