// Thinking must be sent back unchanged. A missing part is the only visible change; current models send an empty text
// with a signature, so that is reported only on models that never do.
import { asString } from '../../base/json/index.ts';
import { type BlockView, blocksOfType, isCutSignature, type MessageView, type RequestView } from '../request/index.ts';
import { type ApiRule, type Finding, makeRule } from './rule.ts';

export const thinkingRules: readonly ApiRule[] = [
  makeRule({
    code: 'thinking-unsigned',
    what: 'a thinking block has a signature',
    errorText: '{path}.thinking.signature: Field required',
    find: ({ turns }) =>
      turns.flatMap((message) => blocksOfType(message, 'thinking')).filter(({ block }) => !isString(block.signature)),
  }),
  makeRule({
    code: 'thinking-signature',
    what: 'the signature of thinking is whole',
    errorText: '{path}: Invalid `signature` in `thinking` block',
    find: (request) => {
      const latest = latestAnswer(request);
      return request.turns.filter((message) => message !== latest).flatMap((message) => altered(message));
    },
  }),
  makeRule({
    code: 'thinking-altered',
    what: 'the thinking of the latest assistant message is unchanged',
    errorText:
      '{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    find: (request) => altered(latestAnswer(request)),
  }),
  makeRule({
    code: 'redacted-thinking-data',
    what: 'a redacted_thinking block has its data',
    errorText: '{path}: Invalid `data` in `redacted_thinking` block',
    find: ({ turns }) =>
      turns
        .flatMap((message) => blocksOfType(message, 'redacted_thinking'))
        .filter(({ block }) => !asString(block.data)),
  }),
  makeRule({
    code: 'thinking-last',
    what: 'an assistant message does not end in thinking',
    errorText: '{message}: The final block in an assistant message cannot be `{type}`.',
    find: ({ turns }) =>
      turns.flatMap(({ role, blocks, place }): Finding[] => {
        const last = blocks.at(-1);
        if (role !== 'assistant' || last === undefined || !isThinking(last)) return [];
        return [{ place: last.place, values: { message: place.path, type: String(last.block.type) } }];
      }),
  }),
  makeRule({
    code: 'thinking-first',
    what: 'with thinking enabled, the assistant message of a running tool loop starts with thinking',
    errorText:
      '{path}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
    find: unthoughtLoop,
  }),
];

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isThinking(view: BlockView | undefined): boolean {
  return view?.block.type === 'thinking' || view?.block.type === 'redacted_thinking';
}

function latestAnswer({ turns }: RequestView): MessageView | undefined {
  return turns.findLast((message) => message.role === 'assistant');
}

/** The signature carries the thinking: a block without its text is accepted. */
function altered(message: MessageView | undefined): BlockView[] {
  return blocksOfType(message, 'thinking').filter(
    ({ block: { signature } }) => isString(signature) && (signature === '' || isCutSignature(signature)),
  );
}

/** Without interleaving only the first message of a loop has thinking, so either end is enough. */
function unthoughtLoop({ turns, thinking }: RequestView): Finding[] {
  if (thinking?.type !== 'enabled' || !isResultMessage(turns.at(-1))) return [];
  const last = turns.at(-2);
  if (last === undefined || blocksOfType(last, 'tool_use').length === 0) return [];
  let start = turns.length - 2;
  while (isResultMessage(turns[start - 1]) && turns[start - 2]?.role === 'assistant') start -= 2;
  const first = last.blocks[0];
  if (first === undefined || isThinking(first) || isThinking(turns[start]?.blocks[0])) return [];
  return [{ place: first.place, values: { found: String(first.block.type) } }];
}

function isResultMessage(message: MessageView | undefined): boolean {
  return message?.role === 'user' && blocksOfType(message, 'tool_result').length > 0;
}
