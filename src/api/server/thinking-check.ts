// Decides what the API does with the thinking in a request: refuse it with the API's error, drop it, or accept it. The
// signatures of this server carry everything before the block; other signatures are not checked.
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { modelRowOf, prefixCheckOf, readsThinkingOf } from '../../models/index.ts';
import {
  bindingBeta,
  isBinding,
  loadedTools,
  type SentBlock,
  sentBlocks,
  systemHash,
  thinkingId,
  toolsHash,
} from '../request/index.ts';
import { newId } from './reply.ts';
import {
  invalidRequest,
  type ReplyBlock,
  type ScriptedError,
  type ScriptedReply,
  type ServedRequest,
} from './script.ts';

/**
 * How the API treats thinking of this account whose prefix has changed. `enforced`: it refuses the request, as for
 * all accounts since 31 August 2026. `older`: it reports the block and accepts it, except on models that check for
 * every account. `unchecked`: this server neither signs nor checks thinking.
 */
export type AccountKind = 'enforced' | 'older' | 'unchecked';

export interface Account {
  readonly kind: AccountKind;
  /** The thinking of some models is valid for one organization only. */
  readonly organization: string;
}

/** The content of a signature: the request that the block was made for. */
interface Made {
  readonly model: string;
  readonly organization: string;
  readonly system: string;
  readonly tools: string;
  /** The hash of every block before it, without thinking. */
  readonly before: readonly string[];
  /** The thinking block before it. */
  readonly previous: string | null;
}

const mark = 'clewbound';

/** Signs every thinking block of the reply that has no signature. */
export function signReply(reply: ScriptedReply, request: JsonObject, { organization }: Account): ScriptedReply {
  if (!reply.blocks.some(isUnsigned)) return reply;
  const said: ReplyBlock[] = [];
  for (const block of reply.blocks) {
    if (block.type === 'tool_use' && block.id === undefined) said.push({ ...block, id: newId('toolu_') });
    else if (!isUnsigned(block)) said.push(block);
    else {
      const messages = isArray(request.messages) ? request.messages : [];
      const before = sentBlocks([...messages, { role: 'assistant', content: said }]);
      const previous = before.findLast(({ isThinking }) => isThinking)?.block;
      const made: Made = {
        model: reply.model ?? asString(request.model) ?? '',
        organization,
        system: systemHash(request.system),
        tools: toolsHash(request.tools, new Set(before.flatMap(loadedTools))),
        before: hashesOf(before),
        previous: previous === undefined ? null : thinkingId(previous),
      };
      const signature = mark + Buffer.from(JSON.stringify(made)).toString('base64url');
      said.push({ ...block, [block.type === 'thinking' ? 'signature' : 'data']: signature });
    }
  }
  return { ...reply, blocks: said };
}

function isUnsigned({ type, signature, data }: ReplyBlock): boolean {
  return (type === 'thinking' && signature === undefined) || (type === 'redacted_thinking' && data === undefined);
}

export type ThinkingVerdict =
  | { readonly error: ScriptedError }
  /** `undefined` if the request does not ask for the report. */
  | { readonly transformations: readonly JsonObject[] | undefined };

export function judgeThinking(body: JsonObject, headers: ServedRequest['headers'], account: Account): ThinkingVerdict {
  const hasBeta = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .some((beta) => beta.trim() === bindingBeta);
  const thinking = asObject(body.thinking) ?? {};
  if (thinking.block_binding !== undefined && (!hasBeta || thinking.type === 'between_tools')) {
    const type = asString(thinking.type) ?? 'adaptive';
    return { error: invalidRequest(`thinking.${type}.block_binding: Extra inputs are not permitted`) };
  }
  const behaviour = asString(asObject(thinking.block_binding)?.prefix_mismatch_behavior);
  const model = asString(body.model) ?? '';
  const isEnforced = account.kind === 'enforced' || prefixCheckOf(model) === 'every-account' || behaviour !== undefined;
  const failing = failingThinking(body, model, account);
  const damaged = failing.find(({ reason }) => reason === undefined);
  if (damaged !== undefined) {
    const [member, type] = damaged.isRedacted ? ['data', 'redacted_thinking'] : ['signature', 'thinking'];
    return { error: invalidRequest(`${damaged.path}: Invalid \`${member}\` in \`${type}\` block`) };
  }
  const refused = failing.find(({ reason }) => reason === 'prefix_binding_mismatch');
  if (refused !== undefined && isEnforced && behaviour !== 'drop_block')
    return { error: invalidRequest(refusalText(refused, hasBeta)) };
  const transformations = failing.map(({ path, reason = '' }) => ({
    type: reason === 'prefix_binding_mismatch' && !isEnforced ? 'thinking_mismatch_allowed' : 'thinking_dropped',
    path,
    reason,
  }));
  return { transformations: hasBeta ? transformations : undefined };
}

function refusalText({ path, sentence = '' }: Failing, hasBeta: boolean): string {
  return [
    `${path}: Invalid \`signature\` in \`thinking\` block.`,
    'The block is bound to a different conversation.',
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    ...(hasBeta ? [] : [`That setting requires the \`${bindingBeta}\` value in the \`anthropic-beta\` header.`]),
    sentence,
  ].join(' ');
}

interface Failing {
  readonly path: string;
  readonly isRedacted: boolean;
  /** `undefined`: the signature itself is broken. */
  readonly reason: string | undefined;
  readonly sentence?: string;
}

/** Every block that fails, in order, with the first reason that applies: organization, model, prefix. */
function failingThinking(body: JsonObject, model: string, { organization }: Account): readonly Failing[] {
  const system = systemHash(body.system);
  const failing: Failing[] = [];
  const blocks = sentBlocks(body.messages);
  const loaded = new Set<string>();
  const before: SentBlock[] = [];
  let previous: string | undefined;
  for (const sent of blocks) {
    for (const name of loadedTools(sent)) loaded.add(name);
    if (!sent.isThinking) {
      before.push(sent);
      continue;
    }
    const { path, block } = sent;
    const isRedacted = block.type === 'redacted_thinking';
    const fail = (reason: string | undefined, sentence?: string): void => {
      failing.push({ path, isRedacted, reason, ...(sentence === undefined ? {} : { sentence }) });
    };
    const signature = asString(isRedacted ? block.data : block.signature) ?? '';
    const made = signature.startsWith(mark) ? readSignature(signature) : 'foreign';
    if (made === undefined) fail(undefined);
    else if (made !== 'foreign' && modelRowOf(made.model)?.accountBound === true && made.organization !== organization)
      fail('organization_binding_mismatch');
    else if (made !== 'foreign' && made.model !== model && readsThinkingOf(model, made.model) === false)
      fail('model_binding_mismatch');
    else if (made !== 'foreign' && isBinding(model)) {
      const tools = toolsHash(body.tools, loaded);
      const sentence = differenceOf(made, { system, tools, before, previous });
      if (sentence !== undefined) fail('prefix_binding_mismatch', sentence);
    }
    // A block of another model that this one may not read is still in its place.
    previous = thinkingId(block);
  }
  return failing;
}

function readSignature(signature: string): Made | undefined {
  const value = parseJson(Buffer.from(signature.slice(mark.length), 'base64url').toString());
  return isObject(value) && isArray(value.before) ? (value as unknown as Made) : undefined; // written by signReply
}

interface Now {
  readonly system: string;
  readonly tools: string;
  readonly before: readonly SentBlock[];
  /** `undefined`: all thinking before it is gone, which is allowed. */
  readonly previous: string | undefined;
}

function differenceOf(made: Made, { system, tools, before, previous }: Now): string | undefined {
  if (made.system !== system) return 'The `system` prompt differs from the one this block was created with.';
  if (made.tools !== tools) return 'The `tools` list differs from the one this block was created with.';
  const hashes = hashesOf(before);
  const differing = hashes.findIndex((hash, i) => hash !== made.before[i]);
  if (differing >= 0 || hashes.length !== made.before.length) {
    const isOlder = hashes.length > 0 && hashes.join() === made.before.slice(-hashes.length).join();
    if (isOlder) return `A message older than \`${before[0]?.path}\` differs from when this block was created.`;
    const path = (differing < 0 ? before.at(-1) : before[differing])?.path ?? 'messages.0.content.0';
    return `Content before this block differs from when it was created, first at \`${path}\`.`;
  }
  if (previous === undefined || made.previous === previous) return undefined;
  return 'The `thinking` block that preceded this one when it was created is missing from this request.';
}

function hashesOf(blocks: readonly SentBlock[]): readonly string[] {
  return blocks.filter(({ isThinking }) => !isThinking).map(({ hash }) => hash);
}
