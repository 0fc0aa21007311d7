// The tools as a client sees them, and the check of their arguments. Every session of a user pays for these texts, so they are
// short; docs/memory.md has their size.
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/v4';
import type { Memory } from '../answers/index.ts';
import { readParts, usageKinds } from '../questions/index.ts';
import type { CallEvidence } from '../scope/index.ts';

const longestQuery = 1000;
const mostTurns = 1_000_000;
const text = (most: number) => z.string().min(1).max(most);
const tokens = (most: number, usual: number) => z.int().min(200).max(most).default(usual);

const search = z.strictObject({
  query: text(longestQuery),
  project: text(500).optional(),
  since: text(40).optional().describe('2026-03-01 or 7d'),
  file: text(500).optional(),
  tool: text(100).optional(),
  role: z.enum(['user', 'assistant']).optional(),
  limit: z.int().min(1).max(20).default(5),
});

const read = z.strictObject({
  reference: text(300),
  tokens: tokens(10_000, 1000),
  include: z.array(z.enum(readParts)).min(1).max(readParts.length).default(['prompt', 'answer', 'calls']),
  from: text(20).optional(),
});

const outline = z.strictObject({
  session: text(300).optional(),
  project: text(500).optional(),
  tokens: tokens(10_000, 1500),
  from: z.int().min(1).max(mostTurns).default(1),
});

const usage = z.strictObject({
  by: z.enum(usageKinds).default('daily'),
  since: text(40).optional(),
  until: text(40).optional(),
  tokens: tokens(10_000, 1000),
});

interface MemoryTool {
  readonly description: string;
  readonly schema: z.ZodType;
  run(memory: Memory, args: unknown, call: CallEvidence): Promise<string>;
}

function tool<T extends z.ZodType>(
  description: string,
  schema: T,
  run: (memory: Memory, args: z.infer<T>, call: CallEvidence) => Promise<string>,
): MemoryTool {
  return { description, schema, run: (memory, args, call) => run(memory, schema.parse(args) as z.infer<T>, call) };
}

const tools: Readonly<Record<string, MemoryTool>> = {
  search: tool(
    'Search past sessions: prompts, answers, commands, files, errors. Returns references for read.',
    search,
    (memory, args, call) => memory.search(args, call),
  ),
  read: tool('Read a turn of a past session: clew:SESSION#TURN.', read, (memory, args, call) =>
    memory.read(args, call),
  ),
  outline: tool('List the turns of a session, or without one the past sessions.', outline, (memory, args, call) =>
    memory.outline(args, call),
  ),
  usage: tool('Tokens and cost of past sessions.', usage, (memory, args, call) => memory.usage(args, call)),
};

export function toolDefinitions(): Tool[] {
  return Object.entries(tools).map(([name, { description, schema }]) => {
    const { $schema, ...inputSchema } = z.toJSONSchema(schema, {
      io: 'input',
      override: ({ jsonSchema }) => shorten(jsonSchema),
    });
    return {
      name,
      description,
      inputSchema: inputSchema as Tool['inputSchema'],
      annotations: { readOnlyHint: true, openWorldHint: false },
    };
  });
}

/** Leaves out what a model does not need for a right call: the defaults, and limits that nobody meets by chance. */
function shorten(schema: Record<string, unknown>): void {
  for (const name of ['default', 'minLength', 'minItems', 'maxItems']) delete schema[name];
  if (schema.enum !== undefined) delete schema.type;
  if (schema.maxLength !== longestQuery) delete schema.maxLength;
  if (schema.maximum === mostTurns) delete schema.maximum;
}

export function isTool(name: string): boolean {
  return Object.hasOwn(tools, name);
}

/** Throws for arguments that do not fit the schema. */
export async function callTool(
  name: string,
  args: unknown,
  memory: () => Promise<Memory>,
  call: CallEvidence,
): Promise<string> {
  const found = tools[name];
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  const checked = found.schema.safeParse(args ?? {});
  if (!checked.success) throw new BadArguments(problemsOf(checked.error));
  return found.run(await memory(), args ?? {}, call);
}

export class BadArguments extends Error {
  override name: string = 'BadArguments';
}

const mostProblems = 5;

/** Which argument is wrong and why, without its value. */
function problemsOf({ issues }: z.ZodError): string {
  const lines = issues.slice(0, mostProblems).map(({ path, message }) => {
    const place = path.map(String).join('.').slice(0, 60);
    return place === '' ? message.slice(0, 200) : `${place}: ${message.slice(0, 200)}`;
  });
  return lines.join('; ');
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** The model sees it and can correct its call. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
