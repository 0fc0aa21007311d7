// A tool of a server → a tool of the agent, or why it cannot be one. The check is here because one invalid tool would
// make the Messages API refuse every request of the session.
import { asObject, asString, isObject, type JsonObject, type JsonValue, wellFormed } from '../../base/json/index.ts';
import { type CallContext, failedOutcome, type ParsedInput, type Tool, type ToolOutcome } from '../contract/index.ts';

export type CallServer = (
  tool: string,
  input: JsonObject,
  /** Without a workspace a long result is cut: there is no session to save it in. */
  context: Pick<CallContext, 'signal' | 'progress'> & Partial<Pick<CallContext, 'workspace'>>,
) => Promise<ToolOutcome>;

const maxDescription = 4096;
const maxSchemaChars = 100_000;

export function makeServerTool(
  description: JsonObject,
  name: string,
  call: CallServer,
): Tool | { readonly problem: string } {
  const own = asString(description.name);
  if (own === undefined || own === '') return { problem: 'it has no name' };
  const schema = readSchema(description.inputSchema);
  if (typeof schema === 'string') return { problem: schema };
  const isReadOnly = asObject(description.annotations)?.readOnlyHint === true;
  const text = asString(description.description) ?? asString(description.title) ?? own;
  return {
    name,
    description: text.slice(0, maxDescription).toWellFormed(),
    inputSchema: schema,
    parse: (input) => parseInput(input, schema),
    isReadOnly: () => isReadOnly,
    run: (input, context) =>
      context.signal.aborted
        ? Promise.resolve(failedOutcome('The call was interrupted before it began.'))
        : call(own, input, context),
  };
}

function readSchema(value: JsonValue | undefined): JsonObject | string {
  if (value === undefined || value === null) return { type: 'object', properties: {} };
  if (!isObject(value) || (value.type !== undefined && value.type !== 'object')) return 'its input is not an object';
  try {
    const { anyOf, oneOf, allOf, ...rest } = wellFormed(value) as JsonObject;
    // The API refuses alternatives at the top level; the server still checks its input.
    const schema: JsonObject = { ...rest, type: 'object', properties: asObject(rest.properties) ?? {} };
    if (JSON.stringify(schema).length > maxSchemaChars) return 'the description of its input is too long';
    const odd = Object.keys(asObject(schema.properties) ?? {}).find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
    return odd === undefined ? schema : `the API does not take its input name ${JSON.stringify(odd)}`;
  } catch {
    return 'the description of its input is nested too deep';
  }
}

/** The server validates its own schema; only what every server refuses is refused here. */
function parseInput(input: JsonValue | undefined, schema: JsonObject): ParsedInput {
  if (!isObject(input)) return { problem: 'The input must be an object.' };
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.filter((key) => typeof key === 'string' && input[key] === undefined);
  return missing.length === 0 ? { input } : { problem: `The input lacks ${missing.join(', ')}.` };
}
