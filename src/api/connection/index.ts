export { Connection, type ConnectionOptions, type Prepared, requestTimeoutOf } from './connection.ts';
export {
  type ApiKeySource,
  apiKeySourceOf,
  baseUrlOf,
  hostOf,
  MissingKeyError,
  missingCredentials,
  requireCredentials,
  withoutOwnKeys,
} from './credentials.ts';
export { mergeHeaders } from './headers.ts';
export { KeyHelperError } from './key-helper.ts';
export { CloudCredentialError } from './platform-clients.ts';
