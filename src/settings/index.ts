export type { Edit } from '../format/bytes/index.ts';
export { type HookEntry, type IsOurs, installedHooks, withHooks, withoutHooks } from './hooks.ts';
export {
  clearSwap,
  clientLock,
  hasLeftSwap,
  readSettingsFile,
  retryChanged,
  swapSettingsFile,
  withClientLock,
  withSettingsLock,
} from './settings-file.ts';
export { editSettings, parseSettings } from './settings-text.ts';
