export { isTraced, type Labels, readTraceConfig, type TraceConfig } from './config.ts';
export { oneOf } from './config-values.ts';
export { contentModes, type Destination, destinationsOf, type ProfileName } from './destinations.ts';
export {
  detectClientVersion,
  installedEvents,
  isTraceHook,
  plannedHooks,
  withoutTraceHooks,
  withTraceHooks,
} from './settings.ts';
