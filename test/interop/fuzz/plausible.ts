// A seed → a session as clients write them: prompts, commands and queued prompts, parallel calls whose results come in
// any order, attachments with and without a text, hooks, images, server tools, refusals, interruptions, rewinds, pins,
// compactions that keep a part of the history, and ends that were cut off.
import type { JsonObject } from '../../../src/base/json/json.ts';
import { addAnswer, models } from './answers.ts';
import { addAttachment } from './notes.ts';
import { Dice, imageBlock, SessionWriter, textBlock } from './session-writer.ts';

export function plausibleSession(seed: number): JsonObject[] {
  const dice = new Dice(seed);
  const writer = new SessionWriter(dice);
  const session: Session = { writer, model: dice.pick(models), ends: [] };
  if (dice.chance(0.3))
    writer.aside('file-history-snapshot', { messageId: 'm', snapshot: {}, isSnapshotUpdate: false });
  const turns = 1 + dice.below(5);
  for (let turn = 0; turn < turns; turn++) addTurn(session, turn);
  if (dice.chance(0.25)) cutOff(writer);
  return writer.lines;
}

interface Session {
  readonly writer: SessionWriter;
  model: string;
  /** The last line of each turn. */
  readonly ends: string[];
}

function addTurn(session: Session, turn: number): void {
  const { writer, ends } = session;
  const { dice } = writer;
  if (turn > 0 && dice.chance(0.08)) rewind(session);
  if (turn > 0 && dice.chance(0.1)) compact(writer);
  if (dice.chance(0.15)) addCommand(writer);
  if (dice.chance(0.12)) session.model = dice.pick(models);
  if (dice.chance(0.05)) writer.wait();
  addPrompt(writer);
  if (dice.chance(0.35)) addAttachment(writer, session.model);
  if (dice.chance(0.08)) writer.add('attachment', { attachment: snapshot(writer) });
  if (dice.chance(0.3)) pin(writer, false);
  const messages = 1 + dice.below(4);
  for (let i = 0; i < messages; i++) addAnswer(writer, session.model, i === messages - 1);
  if (dice.chance(0.06)) writer.add('attachment', { attachment: { type: 'thinking_stripped', scope: 'all' } });
  addEnd(writer);
  if (writer.parent !== null) ends.push(writer.parent);
  if (dice.chance(0.3)) pin(writer, dice.chance(0.1));
}

function addPrompt(writer: SessionWriter): void {
  const { dice } = writer;
  const text = `prompt ${writer.next()}`;
  const kind = dice.below(12);
  if (kind === 0) writer.add('user', { message: { role: 'user', content: [textBlock(text), imageBlock()] } });
  else if (kind === 1) writer.add('user', { message: { role: 'user', content: [textBlock(text), textBlock('more')] } });
  else if (kind === 2) {
    writer.add('user', {
      message: { role: 'user', content: `<task-notification>${text}</task-notification>` },
      origin: { kind: 'task-notification' },
    });
  } else if (kind === 3) {
    writer.add('user', { message: { role: 'user', content: text } });
    writer.add('user', { isMeta: true, message: { role: 'user', content: [textBlock(`[Image: source ${text}]`)] } });
  } else writer.add('user', { message: { role: 'user', content: text } });
}

/** What a slash command or a shell command writes outside the conversation. */
function addCommand(writer: SessionWriter): void {
  const { dice } = writer;
  const say = (content: string, fields: JsonObject = {}): string =>
    writer.add('user', { message: { role: 'user', content }, ...fields });
  const number = writer.next();
  switch (dice.below(4)) {
    case 0:
      say(`<local-command-caveat>Caveat ${number}</local-command-caveat>`, { isMeta: true });
      say(`<command-name>/model</command-name>\n<command-args>${number}</command-args>`);
      if (dice.chance(0.8)) say(`<local-command-stdout>Set ${number}</local-command-stdout>`);
      break;
    case 1:
      say(`<bash-input>ls ${number}</bash-input>`);
      say(`<bash-stdout>out ${number}</bash-stdout><bash-stderr></bash-stderr>`);
      break;
    case 2:
      writer.add('system', {
        subtype: 'local_command',
        content: `<command-name>/usage ${number}</command-name>`,
        level: 'info',
      });
      writer.add('system', {
        subtype: 'local_command',
        content: `<local-command-stdout>${number}</local-command-stdout>`,
        level: 'info',
      });
      break;
    default:
      say(`<command-message>skill ${number}</command-message>\n<command-name>/skill</command-name>`);
      say(`Instructions ${number}`, { isMeta: true });
  }
}

function addEnd(writer: SessionWriter): void {
  const { dice } = writer;
  if (dice.chance(0.08)) {
    const mark = dice.pick(['[Request interrupted by user]', '[Request interrupted by user for tool use]']);
    writer.add('user', { message: { role: 'user', content: [textBlock(mark)] } });
    if (dice.chance(0.3)) addAttachment(writer, 'claude-opus-4-5-20251101');
  }
  if (dice.chance(0.06)) {
    const message = {
      id: `msg_e${writer.next()}`,
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: [textBlock('API Error: 529')],
    };
    writer.add('assistant', { isApiErrorMessage: true, message });
  }
  if (dice.chance(0.2)) writer.add('system', { subtype: 'turn_duration', durationMs: 1000, isMeta: false });
  if (dice.chance(0.1)) writer.add('system', { subtype: 'stop_hook_summary', hookCount: 1, level: 'suggestion' });
  if (dice.chance(0.04)) {
    writer.add('system', {
      subtype: 'model_refusal_fallback',
      content: 'x',
      level: 'warning',
      ...(dice.chance(0.3) ? { retractedMessageUuids: [writer.parent ?? ''] } : {}),
    });
  }
  if (dice.chance(0.1)) writer.aside('queue-operation', { operation: 'enqueue', content: `queued ${writer.next()}` });
}

function pin(writer: SessionWriter, explicit: boolean): void {
  if (writer.parent === null) return;
  writer.aside('last-prompt', { lastPrompt: 'x', leafUuid: writer.parent, ...(explicit ? { explicit: true } : {}) });
}

/** The conversation continues from the end of an earlier turn. */
function rewind({ writer, ends }: Session): void {
  if (ends.length === 0) return;
  writer.parent = writer.dice.pick(ends);
  if (writer.dice.chance(0.5)) pin(writer, writer.dice.chance(0.5));
}

function compact(writer: SessionWriter): void {
  const { dice, lines } = writer;
  const before = writer.parent;
  const chain = chainOf(lines, before);
  const kept = chain.slice(-1 - dice.below(Math.min(4, chain.length)));
  const [first, last] = [kept[0], kept.at(-1)];
  const boundary = writer.add(
    'system',
    {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      level: 'info',
      isMeta: false,
      logicalParentUuid: before,
    },
    null,
  );
  const entry = lines.at(-1) as JsonObject; // it was just added
  const summary = writer.add(
    'user',
    {
      message: { role: 'user', content: `SUMMARY ${writer.next()}` },
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
    },
    boundary,
  );
  const way = first === undefined || last === undefined ? 0 : dice.below(4);
  const segment = { preservedSegment: { headUuid: String(first), anchorUuid: summary, tailUuid: String(last) } };
  const messages = { preservedMessages: { anchorUuid: summary, uuids: kept, allUuids: kept } };
  const preserved = way === 1 ? segment : way === 2 ? messages : {};
  const trigger = dice.pick(['manual', 'auto']);
  Object.assign(entry, { compactMetadata: { trigger, preTokens: 1000, ...preserved } });
}

/** The uuids from the root to a line. */
function chainOf(lines: readonly JsonObject[], leaf: string | null): string[] {
  const byUuid = new Map(lines.map((line) => [line.uuid, line]));
  const chain: string[] = [];
  for (let at = leaf; at !== null; ) {
    const line = byUuid.get(at);
    if (line === undefined || line.subtype === 'compact_boundary') break;
    chain.unshift(at);
    at = typeof line.parentUuid === 'string' ? line.parentUuid : null;
  }
  return chain;
}

function snapshot(writer: SessionWriter): JsonObject {
  return { type: 'prompt_snapshot', systemPrompt: [`system ${writer.next()}`], reminderFold: false };
}

/** The client was killed, or the disk was full: the last lines are not there. */
function cutOff(writer: SessionWriter): void {
  const count = 1 + writer.dice.below(4);
  if (writer.lines.length > count + 1) writer.lines.splice(-count);
}
