// JSON as every command prints it; made in base/, because exports write it too.
export { jsonText, prettyJson } from '../base/json-text.ts';
