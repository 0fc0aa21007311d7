export { keepLocalRule, keepLocalServer } from './local.ts';
export {
  findUserConfig,
  mergeSettings,
  readSettingsFiles,
  type Settings,
  type SettingsFile,
  type SettingsFiles,
  type SettingsSource,
} from './settings.ts';
export { isGuardedVariable } from './variables.ts';
