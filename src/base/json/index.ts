export {
  asObject,
  asString,
  hasLoneSurrogate,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  wellFormed,
} from './json.ts';
export { isoDate, jsonText, prettyJson } from './json-text.ts';
