export {
  canonicalModel,
  knowsTool,
  refusal,
  saysToolLoaded,
  syntheticModel,
  systemAttachments,
  texts,
  wordedAttachments,
} from './client.ts';
export {
  type ClientRules,
  checkedVersion,
  clientsWithout,
  currentRules,
  isNewerClient,
  newestClient,
  oldestClient,
  rulesFor,
  rulesVersion,
} from './client-rules.ts';
