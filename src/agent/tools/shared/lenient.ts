// Reads an input as the client does: numbers and booleans may be written as strings, lists and objects as JSON texts, and
// some fields have an older name. Everything else stays as it is and is refused by the schema.
import { asObject, isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../../../base/json/index.ts';

export function readLenient(
  input: JsonValue | undefined,
  schema: JsonObject,
  aliases: Readonly<Record<string, string>>,
): JsonValue | undefined {
  if (!isObject(input)) return input;
  const properties = asObject(schema.properties) ?? {};
  const entries = Object.entries(input).map(([key, value]) => {
    const name = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
    // A field under both names is a contradiction: the schema refuses the alias.
    const own = name === undefined || Object.hasOwn(input, name) ? key : name;
    const property = Object.hasOwn(properties, own) ? asObject(properties[own]) : undefined;
    return [own, property === undefined || typeof value !== 'string' ? value : readText(value, property)] as const;
  });
  return Object.fromEntries(entries) as JsonObject; // values of the input, or read from its texts
}

function readText(text: string, { type }: JsonObject): JsonValue {
  switch (type) {
    case 'number':
    case 'integer':
      return /^\s*-?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
    case 'object': {
      const value = parseJson(text);
      return (type === 'array' ? isArray(value) : isObject(value)) && value !== undefined ? value : text;
    }
    default:
      return text;
  }
}
