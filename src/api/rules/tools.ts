// The fields of tool calls and results: inputs are objects, names and ids have only the allowed characters.
import { asString, isObject } from '../../base/json/index.ts';
import { type BlockView, blocksOfType, type MessageView, type RequestView } from '../request/index.ts';
import { type ApiRule, type Finding, makeRule } from './rule.ts';

const namePattern = '^[a-zA-Z0-9_-]{1,128}$';
const idPattern = '^[a-zA-Z0-9_-]+$';
const isName = new RegExp(namePattern);
const isId = new RegExp(idPattern);

export const toolFieldRules: readonly ApiRule[] = [
  makeRule({
    code: 'tool-input',
    what: 'the input of a tool_use is an object',
    errorText: '{path}.tool_use.input: Input should be a valid dictionary',
    find: (request) => ofCalls(request, ({ block }) => !isObject(block.input)),
  }),
  makeRule({
    code: 'tool-name',
    what: 'a tool name has only letters, digits, `_` and `-`, at most 128',
    errorText: `{path}.tool_use.name: String should match pattern '${namePattern}'`,
    find: (request) => ofCalls(request, ({ block }) => !isName.test(asString(block.name) ?? '')),
  }),
  makeRule({
    code: 'tool-id',
    what: 'the id of a tool_use has only letters, digits, `_` and `-`',
    errorText: `{path}.tool_use.id: String should match pattern '${idPattern}'`,
    find: (request) => ofCalls(request, ({ block }) => !isId.test(asString(block.id) ?? '')),
  }),
  makeRule({
    code: 'result-id',
    what: 'a tool_result names a tool_use',
    errorText: '{path}.tool_result.tool_use_id: Field required',
    find: ({ messages }) =>
      messages
        .flatMap((message) => blocksOfType(message, 'tool_result'))
        .filter(({ block }) => typeof block.tool_use_id !== 'string'),
  }),
];

function ofCalls({ messages }: RequestView, isWrong: (view: BlockView) => boolean): Finding[] {
  return messages
    .flatMap((message) => blocksOfType(message, 'tool_use'))
    .filter(isWrong)
    .map(({ place, block }) => ({ place, ...(typeof block.id === 'string' ? { toolUseId: block.id } : {}) }));
}

// Tool calls and results: each call has one result, in the next message, before any other content.

const unansweredText =
  'messages.{N}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

export const toolPairRules: readonly ApiRule[] = [
  makeRule({
    code: 'unanswered-tool',
    what: 'every tool_use has its result in the next user message',
    errorText: unansweredText,
    find: ({ turns }) => turns.flatMap((message, i) => unanswered(message, turns[i + 1])),
  }),
  makeRule({
    code: 'orphan-result',
    what: 'every tool_result answers a tool_use of the previous message',
    errorText:
      '{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    find: ({ turns }) => turns.flatMap((message, i) => orphans(message, turns[i - 1])),
  }),
  makeRule({
    code: 'duplicate-tool-id',
    what: 'no two tool_use have the same id',
    errorText: '{path}: `tool_use` ids must be unique',
    find: ({ turns }) => repeated(turns.flatMap((message) => (message.role === 'assistant' ? calls(message) : []))),
  }),
  makeRule({
    code: 'duplicate-result',
    what: 'a tool_use has one tool_result',
    errorText: '{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}',
    find: ({ turns }) => turns.flatMap((message) => (message.role === 'user' ? repeated(results(message)) : [])),
  }),
  makeRule({
    code: 'results-first',
    what: 'results come before any other content of their message',
    errorText: unansweredText,
    find: lateResults,
  }),
  makeRule({
    code: 'tool-role',
    what: 'calls are in assistant messages, results in user messages',
    errorText: '{path}: `{type}` blocks can only be in `{role}` messages',
    find: ({ turns }) =>
      turns.flatMap((message) => [
        ...(message.role === 'user' ? misplaced(message, 'tool_use', 'assistant') : []),
        ...(message.role === 'assistant' ? misplaced(message, 'tool_result', 'user') : []),
      ]),
  }),
];

/** A block with the id that pairs it. A block whose id is not a string is left to the rule for ids. */
interface Paired extends BlockView {
  readonly id: string;
}

function calls(message: MessageView | undefined): Paired[] {
  return withIds(blocksOfType(message, 'tool_use'), 'id');
}

function results(message: MessageView | undefined): Paired[] {
  return withIds(blocksOfType(message, 'tool_result'), 'tool_use_id');
}

function withIds(blocks: readonly BlockView[], key: string): Paired[] {
  return blocks.flatMap((view) => {
    const id = asString(view.block[key]);
    return id === undefined ? [] : [{ ...view, id }];
  });
}

function unanswered(message: MessageView, next: MessageView | undefined): Finding[] {
  if (message.role !== 'assistant') return [];
  const answered = new Set(next?.role === 'user' ? results(next).map(({ id }) => id) : []);
  const open = calls(message).filter(({ id }) => !answered.has(id));
  const ids = listIds(open);
  return open.map(({ place, id }) => ({ place, toolUseId: id, values: { N: message.place.messageIndex, ids } }));
}

/** The API names them all; listing more for each of them would be quadratic. */
const maxListedIds = 100;

function listIds(blocks: readonly Paired[]): string {
  const ids = [...new Set(blocks.map(({ id }) => id))];
  return [...ids.slice(0, maxListedIds), ...(ids.length > maxListedIds ? ['…'] : [])].join(', ');
}

function orphans(message: MessageView, before: MessageView | undefined): Finding[] {
  if (message.role !== 'user') return [];
  const asked = new Set(before?.role === 'assistant' ? calls(before).map(({ id }) => id) : []);
  return results(message)
    .filter(({ id }) => !asked.has(id))
    .map(({ place, id }) => ({ place, toolUseId: id, values: { id } }));
}

function repeated(blocks: readonly Paired[]): Finding[] {
  const seen = new Set<string>();
  return blocks
    .filter(({ id }) => seen.has(id) || !seen.add(id))
    .map(({ place, id }) => ({ place, toolUseId: id, values: { id } }));
}

function lateResults({ turns }: RequestView): Finding[] {
  return turns.flatMap((message, i) => {
    const before = turns[i - 1];
    if (message.role !== 'user' || before?.role !== 'assistant') return [];
    const first = message.blocks.findIndex(({ block }) => block.type !== 'tool_result');
    if (first < 0) return [];
    const asked = new Set(calls(before).map(({ id }) => id));
    const late = withIds(
      message.blocks.slice(first).filter(({ block }) => block.type === 'tool_result'),
      'tool_use_id',
    ).filter(({ id }) => asked.has(id));
    const ids = listIds(late);
    return late.map(({ place, id }) => ({ place, toolUseId: id, values: { N: before.place.messageIndex, ids } }));
  });
}

function misplaced(message: MessageView, type: string, role: string): Finding[] {
  return blocksOfType(message, type).map(({ place }) => ({ place, values: { type, role } }));
}
