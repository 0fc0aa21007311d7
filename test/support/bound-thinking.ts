// A fake of the API's check of preserved thinking, independent of the code under test: a signature contains hashes of everything
// before it, and `judge` returns the blocks of a transcript that the API would refuse. It has its own small reader for the
// plain files that tests build: one chain, pins, a compaction, marks.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

type Json = Record<string, unknown>;

interface Sent {
  readonly system: string;
  readonly tools: string;
  readonly messages: readonly { readonly role: string; readonly blocks: readonly Json[] }[];
}

interface Made {
  /** A name for the block, for tables. */
  readonly name: string;
  readonly system: string;
  readonly tools: string;
  readonly before: string;
  readonly previous: string | null;
}

const hash = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 16);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

const isThought = ({ type }: Json): boolean => type === 'thinking' || type === 'redacted_thinking';
const signatureOf = (block: Json): string => String(block.signature ?? block.data);

/** The signature of a block with this name directly after the line with this uuid. */
export function signAfter(lines: readonly Json[], uuid: unknown, name: string): string {
  const sent = sentBy(wayTo(lines, uuid));
  const blocks = sent.messages.flatMap((message) => message.blocks);
  const previous = blocks.findLast(isThought);
  const made: Made = {
    name,
    system: hash(sent.system),
    tools: hash(sent.tools),
    before: hash(said(sent)),
    previous: previous === undefined ? null : hash(signatureOf(previous)),
  };
  return `BOUND${Buffer.from(JSON.stringify(made)).toString('base64url')}`;
}

function said({ messages }: Pick<Sent, 'messages'>): unknown {
  return messages.flatMap(({ role, blocks }) =>
    blocks.filter((block) => !isThought(block)).map((block) => [role, block]),
  );
}

export interface Judgement {
  /** The names of the blocks that are sent, in order. */
  readonly sent: readonly string[];
  /** Those that come after other content than when they were created. */
  readonly dead: readonly string[];
  /** Those whose predecessor is missing although an earlier block is sent. */
  readonly holes: readonly string[];
}

/** The API's response to a resume of a transcript. */
export function judge(file: string): Judgement {
  return judgeLines(linesOf(file));
}

export function judgeLines(lines: readonly Json[]): Judgement {
  const sent = sentBy(chainOf(lines));
  const names: string[] = [];
  const dead: string[] = [];
  const holes: string[] = [];
  let previous: string | null = null;
  const before: { role: string; blocks: Json[] }[] = [];
  for (const { role, blocks } of sent.messages) {
    const open: { role: string; blocks: Json[] } = { role, blocks: [] };
    before.push(open);
    for (const block of blocks) {
      if (isThought(block)) {
        const made = read(block);
        names.push(made.name);
        const isSame =
          made.system === hash(sent.system) &&
          made.tools === hash(sent.tools) &&
          made.before === hash(said({ messages: before }));
        if (!isSame) dead.push(made.name);
        else if (previous !== null && made.previous !== previous) holes.push(made.name);
        previous = hash(signatureOf(block));
      } else open.blocks.push(block);
    }
  }
  return { sent: names, dead, holes };
}

function read(block: Json): Made {
  return JSON.parse(Buffer.from(signatureOf(block).slice('BOUND'.length), 'base64url').toString()) as Made;
}

export function linesOf(file: string): Json[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
}

function sentBy(chain: readonly Json[]): Sent {
  let system = 'of the client';
  let tools = 'of the client';
  const messages: { role: string; id: unknown; blocks: Json[] }[] = [];
  const add = (role: string, id: unknown, blocks: readonly Json[]): void => {
    const same = role === 'user' ? messages.at(-1) : messages.findLast((message) => message.id === id);
    if (same?.role === role) same.blocks.push(...blocks);
    else messages.push({ role, id, blocks: [...blocks] });
  };
  for (const line of chain) {
    const attachment = line.attachment as Json | undefined;
    const message = line.message as Json | undefined;
    if (attachment?.type === 'prompt_snapshot') {
      system = JSON.stringify(attachment.systemPrompt);
      tools = JSON.stringify(attachment.tools ?? 'of the client');
    } else if (attachment?.type === 'deferred_tools_record')
      add('user', undefined, [{ type: 'tool_addition', tools: attachment.tools }]);
    else if (attachment?.type === 'thinking_stripped')
      for (const each of messages) each.blocks = each.blocks.filter((block) => !isThought(block));
    else if (Array.isArray(line.rendered))
      add(
        'user',
        undefined,
        (line.rendered as Json[]).map(({ content }) => ({ type: 'text', text: String(content) })),
      );
    else if (message !== undefined) add(String(line.type), message.id, blocksOf(message.content));
  }
  return { system, tools, messages };
}

function blocksOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Json[]);
}

/** The line that a resume continues from. */
export function leafOf(lines: readonly Json[]): Json | undefined {
  return chainOf(lines).at(-1);
}

/** From the last pinned line, or the last message, up to the beginning or a compaction. */
function chainOf(lines: readonly Json[]): readonly Json[] {
  const byUuid = new Map(lines.filter(({ uuid }) => uuid !== undefined).map((line) => [line.uuid, line]));
  const pin = lines.findLastIndex(({ type, leafUuid }) => type === 'last-prompt' && byUuid.has(leafUuid));
  const end = lines.findLastIndex(
    ({ type, isSidechain }) => (type === 'user' || type === 'assistant') && isSidechain !== true,
  );
  const isPinned = pin > end || lines[pin]?.explicit === true;
  // Notes below the last line are part of it.
  let leaf = isPinned ? byUuid.get(lines[pin]?.leafUuid) : lines[end];
  for (let note = leaf; note !== undefined; note = noteBelow(lines, note)) leaf = note;
  return wayTo(lines, leaf?.uuid);
}

function wayTo(lines: readonly Json[], uuid: unknown): readonly Json[] {
  const byUuid = new Map(lines.filter((line) => line.uuid !== undefined).map((line) => [line.uuid, line]));
  const chain: Json[] = [];
  for (let line = byUuid.get(uuid); line !== undefined; line = byUuid.get(line.parentUuid)) {
    chain.unshift(line);
    if (line.subtype === 'compact_boundary') break;
  }
  return chain;
}

function noteBelow(lines: readonly Json[], { uuid }: Json): Json | undefined {
  return lines.find(({ type, parentUuid }) => type === 'attachment' && parentUuid === uuid);
}
