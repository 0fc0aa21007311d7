// Makes a Tool from a zod schema, a description and a function. The API gets the schema as JSON Schema, calls are
// checked by it, and `run` is typed by it. Unknown fields are refused, as the client does: they may be a mistake that
// changes what the call means.
import * as z from 'zod';
import { systemErrorCode, UserError } from '../../../base/errors/index.ts';
import { hasLoneSurrogate, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import {
  type CallContext,
  failedOutcome,
  type ParsedInput,
  type Tool,
  type ToolOutcome,
} from '../../contract/index.ts';
import { readLenient } from './lenient.ts';

export interface ToolDefinition<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly schema: S;
  readonly isReadOnly: boolean;
  /** Other names of fields that models use: alias → name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Unknown fields are dropped. */
  readonly isLoose?: boolean;
  run(input: z.infer<S>, context: CallContext): Promise<ToolOutcome>;
}

/** Thrown by a tool to end a call. The model reads the message. */
export class ToolFailure extends Error {}

export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { name, description, isReadOnly, aliases = {}, isLoose = false } = definition;
  const inputSchema = jsonSchemaOf(definition.schema);
  const schema = isLoose ? definition.schema : definition.schema.strict();
  const check = (input: JsonValue | undefined) => schema.safeParse(readLenient(input, inputSchema, aliases));
  return {
    name,
    description,
    inputSchema,
    parse: (input) => parseInput(name, check, input),
    isReadOnly: () => isReadOnly,
    async run(input, context) {
      const parsed = check(input);
      if (!parsed.success) return failedOutcome(describeIssues(name, parsed.error, input));
      try {
        // `strict` changes what is refused, not the type of what is accepted.
        return await definition.run(parsed.data as z.infer<S>, context);
      } catch (error) {
        return failedOutcome(describeFailure(error));
      }
    },
  };
}

/** Leaves out `$schema`: the API ignores it, and its bytes are sent with every request. */
function jsonSchemaOf(schema: z.ZodObject): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return JSON.parse(JSON.stringify(rest)) as JsonObject; // plain data
}

type Check = (input: JsonValue | undefined) => ReturnType<z.ZodObject['safeParse']>;

function parseInput(name: string, check: Check, input: JsonValue | undefined): ParsedInput {
  if (input !== undefined && hasLoneSurrogate(input))
    return {
      problem: `${name} was not run: a string of its input holds half of a surrogate pair. Send well-formed Unicode.`,
    };
  const parsed = check(input);
  if (!parsed.success) return { problem: describeIssues(name, parsed.error, input) };
  return { input: JSON.parse(JSON.stringify(parsed.data)) as JsonObject }; // drops undefined keys
}

const shownIssues = 5;

function describeIssues(name: string, error: z.ZodError, input: unknown): string {
  const shown = error.issues.slice(0, shownIssues).map((issue) => {
    const place = issue.path.map(String).join('.');
    if (issue.code === 'unrecognized_keys' && place === '') return describeUnknown(issue.keys);
    if (place === '') return issue.message;
    return isMissing(input, issue.path) ? `\`${place}\` is missing` : `\`${place}\`: ${issue.message}`;
  });
  const left = error.issues.length - shown.length;
  return `${name} was not run, its input is wrong: ${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}.`;
}

function describeUnknown(keys: readonly string[]): string {
  const shown = keys.slice(0, shownIssues).map((key) => `\`${key.slice(0, 60).toWellFormed()}\``);
  const left = keys.length > shown.length ? ' and others' : '';
  return `${shown.join(', ')}${left} ${keys.length === 1 ? 'is not one of its parameters' : 'are not among its parameters'}`;
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key]; // an own key, checked above
  }
  return value === undefined;
}

function describeFailure(error: unknown): string {
  if (error instanceof ToolFailure || error instanceof UserError) return error.message;
  const code = systemErrorCode(error);
  if (code !== undefined && error instanceof Error) return error.message;
  throw error;
}
