// A session → JSON of the schema `clew-session/1` (docs/export.md), a message or a call at a time, so that neither a
// long session nor a long turn is ever held as one string.
import path from 'node:path';
import { isoDate, type JsonValue, jsonText } from '../base/json/index.ts';
import { version } from '../base/version/index.ts';
import { type Block, contentOf, isThinking, isToolUse } from '../format/entry/index.ts';
import { linesWithUsage, sessionUsage, summarise, turnUsage } from '../session/facts/index.ts';
import {
  type AgentSource,
  type Compaction,
  compactionsOf,
  readEntry,
  type Session,
  versionsOf,
} from '../session/load/index.ts';
import {
  type Message,
  messagesOf,
  promptsWithoutLine,
  resultBlocks,
  type ToolCall,
  type Turn,
  toolCallsOf,
  turnPromptText,
  turnsOf,
} from '../session/turns/index.ts';
import { countUsage, totalUsage } from '../session/usage/index.ts';
import { type ExportSource, modelsOf, openSourceAgent } from './source/index.ts';

/** Options of `exportJson`. */
export interface JsonOptions {
  /** The whole path of the project. */
  readonly full?: boolean;
  readonly thinking?: boolean;
}

/** Yields a session as JSON. */
export async function* exportJson(source: ExportSource, options: JsonOptions = {}): AsyncGenerator<string> {
  // Names of tools and models do not come from the lines, which are already redacted.
  for await (const piece of pieces(source, options)) yield source.hide(piece);
}

async function* pieces(source: ExportSource, options: JsonOptions): AsyncGenerator<string> {
  const { session } = source;
  yield `{\n"schema":"clew-session/1",\n"clew":${jsonText(version)},\n"session":${jsonText(sessionJson(source, options))},\n`;
  yield '"turns":';
  yield* listed(session, turnsOf(session), options);
  yield `,\n"queued":${jsonText(queuedJson(session))},\n`;
  yield `"compactions":${jsonText(compactionsOf(session).map(compactionJson))},\n"agents":[`;
  for (const [i, agent] of session.agents.entries()) yield* agentJson(source, agent, i, options);
  yield `],\n"usage":${jsonText(sessionUsage(session))},\n`;
  yield `"redaction":${jsonText({ isRedacted: source.isRedacted, secrets: source.secrets() })}\n}\n`;
}

function sessionJson({ session, hide }: ExportSource, { full }: JsonOptions): object {
  const { title, cwd, startedAt, endedAt, entries, turns, diagnostics, damage } = summarise(session);
  return {
    id: session.id,
    title: title === undefined ? null : hide(title),
    project: cwd === undefined ? null : hide(path.win32.basename(cwd)),
    cwd: cwd === undefined || full !== true ? null : hide(cwd),
    startedAt: isoDate(startedAt),
    endedAt: isoDate(endedAt),
    models: modelsOf(session),
    clientVersions: versionsOf(session),
    entries,
    turns,
    branches: session.branches.length,
    diagnostics,
    damage,
  };
}

function* listed(session: Session, turns: readonly Turn[], options: JsonOptions): Generator<string> {
  yield '[';
  for (const [i, turn] of turns.entries()) {
    yield `${i === 0 ? '\n' : ',\n'}{"index":${turn.index},"startedAt":${jsonText(isoDate(turn.nodes[0]?.time ?? Number.NaN))},`;
    yield `"prompt":${jsonText(promptJson(session, turn))},"messages":[`;
    yield* separated(messagesOf(turn), (message) => messageJson(session, message, options));
    yield '],"toolCalls":[';
    yield* separated(toolCallsOf(session, turn), (call) => callJson(session, call));
    yield `],"usage":${jsonText(turnUsage(session, turn))}}`;
  }
  yield turns.length === 0 ? ']' : '\n]';
}

/** Leaves out what is `undefined`. */
function* separated<T>(items: readonly T[], make: (item: T) => object | undefined): Generator<string> {
  let isFirst = true;
  for (const item of items) {
    const value = make(item);
    if (value === undefined) continue;
    yield `${isFirst ? '\n ' : ',\n '}${jsonText(value)}`;
    isFirst = false;
  }
}

export function promptJson(session: Session, turn: Turn): object | null {
  const { prompt, promptKind } = turn;
  if (prompt === undefined) return null;
  const text = turnPromptText(session, turn) ?? '';
  return { kind: promptKind, text, uuid: prompt.uuid ?? null, timestamp: isoDate(prompt.time) };
}

/** Results are listed with their calls; a message that held nothing else is not listed. */
function messageJson(session: Session, message: Message, { thinking }: JsonOptions): object | undefined {
  const all: Block[] = message.nodes.flatMap((node) => contentOf(readEntry(session, node)));
  const content = all.filter((block) => block.type !== 'tool_result' && (thinking === true || !isThinking(block)));
  if (message.role === 'user' && content.length === 0) return undefined;
  const [first] = message.nodes;
  return {
    role: message.role,
    kind: first?.userKind ?? (first?.isApiError === true ? 'api-error' : 'answer'),
    id: message.id ?? null,
    model: message.model ?? null,
    stopReason: message.stopReason ?? null,
    timestamp: isoDate(message.time),
    uuids: message.nodes.map((node) => node.uuid ?? null),
    content,
  };
}

function callJson(session: Session, call: ToolCall): object {
  const { node, result } = call;
  const durationMs = result === undefined ? Number.NaN : result.time - node.time;
  return {
    id: call.id,
    name: call.name,
    input: inputOf(session, call),
    startedAt: isoDate(node.time),
    // Clocks run backwards in real files.
    durationMs: Number.isNaN(durationMs) ? null : Math.max(0, durationMs),
    isAnswered: result !== undefined,
    isError: call.isError,
    content: resultBlocks(session, call),
    agentId: call.agentId ?? null,
  };
}

function inputOf(session: Session, { id, node }: ToolCall): JsonValue {
  const calls = contentOf(readEntry(session, node)).filter(isToolUse);
  return calls.find((block) => block.id === id)?.input ?? null;
}

function queuedJson({ transcript }: Session): readonly object[] {
  return promptsWithoutLine(transcript).map(({ text, time, outcome }) => ({ text, timestamp: isoDate(time), outcome }));
}

export function compactionJson({ boundary, summary, time, trigger, preTokens, postTokens }: Compaction): object {
  return {
    uuid: boundary?.uuid ?? null,
    summaryUuid: summary?.uuid ?? null,
    timestamp: isoDate(time),
    trigger: trigger ?? null,
    preTokens: preTokens ?? null,
    postTokens: postTokens ?? null,
  };
}

/** A transcript is dropped before the next one is read. */
async function* agentJson(
  source: ExportSource,
  agent: AgentSource,
  index: number,
  options: JsonOptions,
): AsyncGenerator<string> {
  const own = await openSourceAgent(source, source.session, agent);
  const isReadable = !('unreadable' in own);
  const hidden = (text: string | undefined): string | null => (text === undefined ? null : source.hide(text));
  const head = {
    agentId: agent.agentId,
    agentType: hidden(agent.agentType),
    description: hidden(agent.description),
    toolUseId: agent.toolUseId ?? null,
    isReadable,
  };
  yield `${index === 0 ? '\n' : ',\n'}${jsonText(head).slice(0, -1)},"turns":`;
  yield* listed(isReadable ? own : source.session, isReadable ? turnsOf(own) : [], options);
  const lines = isReadable ? linesWithUsage(own.transcript, own.id) : [];
  yield `,"usage":${jsonText(totalUsage(countUsage(lines).messages))}}`;
}
