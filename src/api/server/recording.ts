// The conversations of a session as a model would have to answer them: the messages of the model, each with the input
// before it. Contents stay in the file until they are served; only the keys for matching are in memory.
import { createHash } from 'node:crypto';
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { blocksOf, contentOf, textOf } from '../../format/entry/index.ts';
import { loadAgent, readEntry, type Session } from '../../session/load/index.ts';
import { syntheticModel } from '../../session/resume/client/index.ts';
import { normalise } from '../../session/resume/messages/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import type { ReplyBlock, ScriptedReply } from './script.ts';

export interface Recording {
  readonly main: Conversation;
  readonly agents: readonly Conversation[];
}

export interface Conversation {
  /** `undefined` for the main conversation. */
  readonly agentId: string | undefined;
  /** Its first prompt. */
  readonly opening: string;
  readonly steps: readonly RecordedStep[];
  /** The summaries of compactions, each with the index of the following step. */
  readonly summaries: readonly { readonly text: string; readonly before: number }[];
}

/** One message of the model. */
export interface RecordedStep {
  /** The ids of its tool calls, in order. */
  readonly callIds: readonly string[];
  readonly callNames: readonly string[];
  /** A hash of its text and calls without ids; `undefined` if it has neither. */
  readonly key: string | undefined;
  readReply(): ScriptedReply;
  /** The prompts before it. */
  readPrompts(): readonly string[];
  /** The tool results before it. */
  readResults(): readonly RecordedResult[];
}

export interface RecordedResult {
  readonly toolUseId: string;
  readonly text: string;
}

export async function readRecording(session: Session): Promise<Recording> {
  const agents: Conversation[] = [];
  for (const agent of session.agents) {
    const conversation = readConversation(await loadAgent(session, agent), agent.agentId);
    if (conversation.steps.length > 0) agents.push(conversation);
  }
  return { main: readConversation(session, undefined), agents };
}

/** The lines of one message and the user lines before it. */
interface StepLines {
  readonly lines: Node[];
  readonly inputs: readonly Node[];
}

function readConversation(session: Session, agentId: string | undefined): Conversation {
  const steps: StepLines[] = [];
  const byId = new Map<string, StepLines>();
  const summaries: { text: string; before: number }[] = [];
  let opening: string | undefined;
  let inputs: Node[] = [];
  for (const node of turnsOf(session).flatMap((turn) => turn.nodes)) {
    if (node.isCompactSummary) summaries.push({ text: textIn(session, node), before: steps.length });
    else if (node.type === 'user') {
      if (node.promptKind !== undefined || opening === undefined) opening ??= textIn(session, node);
      inputs.push(node);
    } else if (node.type === 'assistant' && isOfModel(node)) {
      const id = node.message?.id;
      const begun = id === undefined ? undefined : byId.get(id);
      if (begun !== undefined) {
        begun.lines.push(node);
        continue;
      }
      const step = { lines: [node], inputs };
      if (id !== undefined) byId.set(id, step);
      steps.push(step);
      inputs = [];
    }
  }
  return { agentId, opening: opening ?? '', steps: steps.map((step) => makeStep(session, step)), summaries };
}

function isOfModel(node: Node): boolean {
  return !node.isApiError && node.message?.model !== syntheticModel && node.hasContent;
}

function makeStep(session: Session, step: StepLines): RecordedStep {
  const lines = [...step.lines].sort((a, b) => a.index - b.index);
  const calls = lines.flatMap((line) => callsOf(line));
  return {
    callIds: calls.map((call) => call.id),
    callNames: calls.map((call) => call.name),
    key: contentKey(lines.flatMap((line) => blocksIn(session, line))),
    readReply: () => replyOf(session, lines, step.inputs),
    readPrompts: () =>
      step.inputs.filter((node) => node.promptKind !== undefined).map((node) => textOf(sentBlocks(session, node))),
    readResults: () => step.inputs.flatMap((node) => sentBlocks(session, node).flatMap(resultOf)),
  };
}

/** Equal for two messages with the same text and calls; surrounding white space and thinking do not count. */
export function contentKey(blocks: readonly JsonObject[]): string | undefined {
  const hash = createHash('sha1');
  let isEmpty = true;
  for (const block of blocks) {
    const text = block.type === 'text' ? (asString(block.text) ?? '').trim() : undefined;
    if (text === '' || (text === undefined && block.type !== 'tool_use')) continue;
    hash.update(text ?? `${block.name} ${inputText(block)}`).update('\0');
    isEmpty = false;
  }
  return isEmpty ? undefined : hash.digest('hex');
}

/** Sorts the members, because clients fill in and reorder them. */
function inputText({ input }: JsonObject): string {
  const members = Object.entries(asObject(input) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  try {
    return JSON.stringify(members);
  } catch {
    return ''; // nested deeper than the stack: the name alone has to do
  }
}

export function resultOf(block: JsonObject): RecordedResult[] {
  const toolUseId = asString(block.tool_use_id);
  if (block.type !== 'tool_result' || toolUseId === undefined) return [];
  return [{ toolUseId, text: textOf(blocksOf(block.content)) }];
}

/** Longer pauses come from the user or from a suspended machine. */
const maxPauseMs = 10_000;

function replyOf(session: Session, lines: readonly Node[], inputs: readonly Node[]): ScriptedReply {
  const messages = lines.map((line) => asObject(session.transcript.read(line).message) ?? {});
  const [first] = messages;
  const last = messages.findLast((message) => message.usage !== undefined);
  const contents = lines.map((line) => blocksIn(session, line));
  const stopReason = messages
    .map((message) => asString(message.stop_reason))
    .findLast((reason) => reason !== undefined);
  const id = asString(first?.id);
  const model = asString(first?.model);
  return {
    blocks: contents.flat(),
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    ...(stopReason === undefined ? {} : { stopReason }),
    usage: asObject(last?.usage) ?? {},
    delayMs: gap(inputs.at(-1), lines[0]),
    // The blocks of one line count as arrived together.
    betweenBlocksMs: contents
      .flatMap((blocks, i) => blocks.map((_, j) => (j === 0 ? gap(lines[i - 1], lines[i]) : 0)))
      .slice(1),
  };
}

function gap(from: Node | undefined, to: Node | undefined): number {
  const ms = (to?.time ?? Number.NaN) - (from?.time ?? Number.NaN);
  return ms > 0 ? Math.min(ms, maxPauseMs) : 0;
}

function blocksIn(session: Session, node: Node): readonly ReplyBlock[] {
  return contentOf(readEntry(session, node)).filter(
    (block): block is ReplyBlock => typeof (block as JsonObject).type === 'string',
  );
}

/** As in a request: some clients store reminders in the lines, others only send them. */
function sentBlocks(session: Session, node: Node): readonly JsonObject[] {
  return normalise([{ role: 'user', content: blocksIn(session, node) }]).flatMap((message) => message.content);
}

function textIn(session: Session, node: Node): string {
  return textOf(contentOf(readEntry(session, node)));
}
