export { keepLocalRule, keepLocalServer, keepPermission } from './local.ts';
export {
  findUserConfig,
  localSettingsFile,
  mergeSettings,
  readSettingsFiles,
  type Settings,
  type SettingsFile,
  type SettingsFiles,
  type SettingsSource,
} from './settings.ts';
export { isGuardedVariable } from './variables.ts';
