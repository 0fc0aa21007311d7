// The fields of tool calls and results: inputs are objects, names and ids have only the allowed characters.
import { asString, isObject } from '../../base/json/json.ts';
import { type BlockView, blocksOfType, type RequestView } from '../request/request-view.ts';
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
