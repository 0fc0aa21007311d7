export { agentFlags, unsupportedFlags } from './agent-flags.ts';
export {
  changeFlags,
  chatFlags,
  demo,
  dryRun,
  inPlace,
  json,
  planFlags,
  project,
  readFlags,
  root,
} from './common-flags.ts';
export { printFlags } from './print-flags.ts';
