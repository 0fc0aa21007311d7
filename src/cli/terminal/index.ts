export { type Key, KeyReader, singleKeys, stopUntilResumed } from './keys.ts';
export {
  type Chunks,
  type OutputStream,
  proseWidth,
  safeText,
  terminalWidth,
  writeData,
  writeNotice,
  writeOut,
  writeText,
} from './output.ts';
export { showByteProgress, showProgress } from './progress.ts';
export { Screen } from './screen.ts';
export { canAsk, confirm, readStdin } from './stdin.ts';
export { createStop, type StopSignal } from './stop-signal.ts';
export { createMarkedStyle, createStyle, type Paint, plain, type Style, wantsColor, withoutMark } from './style.ts';
