// What a model says and does in a generated session: messages of one or several lines, calls alone and in parallel,
// with their results on the chain or outside it.
import type { JsonObject, JsonValue } from '../../../src/base/json/json.ts';
import { addAttachment, addHook } from './notes.ts';
import { imageBlock, type SessionWriter, textBlock } from './session-writer.ts';

export const models: readonly string[] = [
  'claude-opus-4-20250514',
  'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5-20251001',
  'claude-opus-4-5-20251101',
  'claude-opus-4-6',
  'claude-opus-4-8',
  'claude-opus-5-5',
  'claude-sonnet-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-fable-5',
  'claude-fable-5-2',
];

const tools: readonly string[] = ['Bash', 'Read', 'Task', 'Agent', 'mcp__a__b', 'SendMessage', 'TodoWrite', 'Zzz'];

/** One message of the model, with its calls and their results. The last one of a turn mostly calls nothing. */
export function addAnswer(writer: SessionWriter, model: string, isLast: boolean): void {
  const { dice } = writer;
  const message = new Message(writer, model);
  const blocks: JsonObject[] = [];
  if (dice.chance(0.4)) blocks.push(...thinking(writer));
  if (dice.chance(0.6) || isLast) blocks.push(saying(writer));
  const calls =
    isLast && !dice.chance(0.1) ? [] : Array.from({ length: dice.pick([1, 1, 1, 2, 3]) }, () => newCall(writer));
  if (dice.chance(0.04)) blocks.push(...serverTool(writer));
  if (dice.chance(0.02)) blocks.push({ type: 'fallback', model });
  if (dice.chance(0.03)) blocks.splice(0, blocks.length, ...(dice.chance(0.5) ? [textBlock('(no content)')] : []));
  if (dice.chance(0.2) || blocks.length === 0) {
    message.line([...blocks, ...calls]);
    if (calls.length > 0) addChainedResults(writer, calls);
    return;
  }
  for (const block of blocks) message.line([block]);
  if (calls.length > 0) addCalls(message, calls);
}

class Message {
  readonly writer: SessionWriter;
  readonly #head: JsonObject;
  readonly #requestId: string | undefined;

  constructor(writer: SessionWriter, model: string) {
    const number = writer.next();
    this.writer = writer;
    this.#head = { id: `msg_m${number}`, type: 'message', role: 'assistant', model };
    this.#requestId = writer.dice.chance(0.9) ? `req_m${number}` : undefined;
  }

  line(content: readonly JsonObject[], parent: string | null = this.writer.parent): string {
    const message = {
      ...this.#head,
      content: [...content],
      stop_reason: null,
      usage: { input_tokens: 3, output_tokens: 7 },
    };
    const request = this.#requestId === undefined ? {} : { requestId: this.#requestId };
    return this.writer.add('assistant', { ...request, message }, parent);
  }
}

function newCall(writer: SessionWriter): JsonObject {
  const number = writer.next();
  const name = writer.dice.pick(tools);
  const input: JsonObject = name === 'SendMessage' ? { to: 'x', type: 'message', content: 'hi' } : { a: number };
  return { type: 'tool_use', id: `toolu_${number}`, name, input };
}

function saying(writer: SessionWriter): JsonObject {
  const { dice } = writer;
  return textBlock(dice.chance(0.04) ? dice.pick(['', ' ', '\n\n']) : `answer ${writer.next()}`);
}

function thinking(writer: SessionWriter): JsonObject[] {
  const number = writer.next();
  const kind = writer.dice.below(10);
  if (kind === 0) return [{ type: 'redacted_thinking', data: `data${number}` }];
  if (kind === 1) return [{ type: 'thinking', thinking: `thought ${number}`, signature: '' }];
  return [{ type: 'thinking', thinking: kind < 5 ? '' : `thought ${number}`, signature: `sig${number}` }];
}

function serverTool(writer: SessionWriter): JsonObject[] {
  const id = `srvtoolu_${writer.next()}`;
  const call = { type: 'server_tool_use', id, name: 'web_search', input: { query: 'x' } };
  const result = { type: 'web_search_tool_result', tool_use_id: id, content: [] };
  return writer.dice.chance(0.7) ? [call, result] : [call];
}

/** One line a call. Newer clients hang each result on its call; results come in any order, some before later calls. */
function addCalls(message: Message, calls: readonly JsonObject[]): void {
  const { writer } = message;
  const { dice } = writer;
  const isTree = dice.chance(0.7);
  const places = new Map<JsonObject, string>();
  const early: JsonObject[] = [];
  let last: string | undefined;
  for (const call of calls) {
    const place = message.line([call], last ?? writer.parent);
    last = place;
    places.set(call, place);
    if (isTree && calls.length > 1 && dice.chance(0.25)) {
      addResult(writer, call, place);
      early.push(call);
      if (dice.chance(0.5)) last = writer.parent ?? place;
    }
  }
  const waiting = dice.shuffled(calls.filter((call) => !early.includes(call)));
  for (const call of waiting) {
    if (dice.chance(0.04)) continue;
    if (dice.chance(0.1))
      writer.add('progress', { data: { type: 'hook_progress' }, toolUseID: String(call.id) }, places.get(call) ?? null);
    const parent = isTree ? (places.get(call) ?? null) : writer.parent;
    addResult(writer, call, parent);
  }
}

/** For calls on one line; their results are on consecutive lines, or on one line. */
function addChainedResults(writer: SessionWriter, calls: readonly JsonObject[]): void {
  if (writer.dice.chance(0.4)) {
    const content = calls.map((call) => resultOf(writer, call));
    writer.add('user', { message: { role: 'user', content }, toolUseResult: {} });
    return;
  }
  for (const call of writer.dice.shuffled(calls)) if (!writer.dice.chance(0.04)) addResult(writer, call, writer.parent);
}

function addResult(writer: SessionWriter, call: JsonObject, parent: string | null): void {
  const { dice } = writer;
  writer.add('user', { message: { role: 'user', content: [resultOf(writer, call)] }, toolUseResult: {} }, parent);
  if (dice.chance(0.15)) addHook(writer);
  if (dice.chance(0.12)) addAttachment(writer, 'claude-opus-5-5');
  if (dice.chance(0.05)) writer.add('user', { message: { role: 'user', content: `typed ${writer.next()}` } });
  if (dice.chance(0.04)) writer.add('system', { subtype: 'informational', content: 'note', level: 'info' });
}

function resultOf(writer: SessionWriter, call: JsonObject): JsonObject {
  const { dice } = writer;
  const text = `result ${String(call.id)}`;
  const contents: readonly JsonValue[] = [
    text,
    [textBlock(text)],
    [textBlock(text), imageBlock()],
    [imageBlock()],
    [{ type: 'tool_reference', tool_name: dice.pick(['Bash', 'TaskCreate', 'mcp__x__y', 'WebFetch']) }],
    '',
  ];
  const content = contents[dice.pick([0, 0, 0, 0, 1, 1, 2, 3, 4, 5])] as JsonValue;
  const isError = dice.chance(0.1) ? { is_error: true } : {};
  return { tool_use_id: String(call.id), type: 'tool_result', content, ...isError };
}
