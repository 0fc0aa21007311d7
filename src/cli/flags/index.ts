export { agentFlags, unsupportedFlags } from './agent-flags.ts';
export {
  changeFlags,
  chatFlags,
  demo,
  dryRun,
  inPlace,
  json,
  person,
  planFlags,
  project,
  readFlags,
  root,
  store,
  storeFlags,
} from './common-flags.ts';
export { printFlags } from './print-flags.ts';
