// Makes a Tool from a zod schema, a description and a function. The API gets the schema as JSON Schema, calls are
// checked by it, and `run` is typed by it.
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

export interface ToolDefinition<S extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly schema: S;
  readonly isReadOnly: boolean;
  run(input: z.infer<S>, context: CallContext): Promise<ToolOutcome>;
}

/** Thrown by a tool to end a call. The model reads the message. */
export class ToolFailure extends Error {}

export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { name, description, schema, isReadOnly } = definition;
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(schema),
    parse: (input) => parseInput(name, schema, input),
    isReadOnly: () => isReadOnly,
    async run(input, context) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return failedOutcome(describeIssues(name, parsed.error, input));
      try {
        return await definition.run(parsed.data, context);
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

function parseInput(name: string, schema: z.ZodObject, input: JsonValue | undefined): ParsedInput {
  if (input !== undefined && hasLoneSurrogate(input))
    return {
      problem: `${name} was not run: a string of its input holds half of a surrogate pair. Send well-formed Unicode.`,
    };
  const parsed = schema.safeParse(input);
  if (!parsed.success) return { problem: describeIssues(name, parsed.error, input) };
  return { input: JSON.parse(JSON.stringify(parsed.data)) as JsonObject }; // drops undefined keys
}

const shownIssues = 5;

function describeIssues(name: string, error: z.ZodError, input: unknown): string {
  const shown = error.issues.slice(0, shownIssues).map((issue) => {
    const place = issue.path.map(String).join('.');
    if (place === '') return issue.message;
    return isMissing(input, issue.path) ? `\`${place}\` is missing` : `\`${place}\`: ${issue.message}`;
  });
  const left = error.issues.length - shown.length;
  return `${name} was not run, its input is wrong: ${shown.join('; ')}${left > 0 ? `; and ${left} more` : ''}.`;
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
