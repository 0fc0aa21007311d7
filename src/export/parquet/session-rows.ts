// A session, its secrets taken out → the rows of its tables, those of its sub-agents after its own.
import path from 'node:path';
import { billedTokens, contentOf, isThinking, isToolUse, textOf } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import { summarise } from '../../session/facts/index.ts';
import { readEntry, type Session, versionsOf } from '../../session/load/index.ts';
import {
  type Message,
  messagesOf,
  resultBlocks,
  type ToolCall,
  type Turn,
  toolCallsOf,
  turnPromptText,
  turnsOf,
} from '../../session/turns/index.ts';
import type { CountedMessage } from '../../session/usage/index.ts';
import { type ExportSource, modelsOf, openSourceAgent } from '../source/index.ts';
import type { Row, TableName } from './tables.ts';

export interface RowOptions {
  /** Whole paths of projects. */
  readonly full?: boolean;
}

interface TableRow {
  readonly table: TableName;
  readonly row: Row;
}

export async function* sessionRows(source: ExportSource, options: RowOptions = {}): AsyncGenerator<TableRow> {
  const { session } = source;
  yield { table: 'sessions', row: sessionRow(source, options) };
  for (const row of conversationRows(session, session.id, null)) yield hideNames(source, row);
  for (const agent of session.agents) {
    const own = await openSourceAgent(source, session, agent);
    if ('unreadable' in own) continue;
    for (const row of conversationRows(own, session.id, agent.agentId)) yield hideNames(source, row);
  }
}

/** They do not come from the lines, which are already redacted. */
function hideNames({ hide }: ExportSource, { table, row }: TableRow): TableRow {
  const { model, name } = row;
  const hidden = {
    ...(typeof model === 'string' ? { model: hide(model) } : {}),
    ...(typeof name === 'string' ? { name: hide(name) } : {}),
  };
  return { table, row: { ...row, ...hidden } };
}

function sessionRow({ session, hide }: ExportSource, { full }: RowOptions): Row {
  const { title, cwd, startedAt, endedAt, entries, turns, damage } = summarise(session);
  return {
    session_id: session.id,
    title: title === undefined ? null : hide(title),
    project: cwd === undefined ? null : hide(path.win32.basename(cwd)),
    cwd: cwd === undefined || full !== true ? null : hide(cwd),
    started_at: startedAt,
    ended_at: endedAt,
    models: modelsOf(session).map(hide),
    client_versions: versionsOf(session).map(hide),
    entries,
    turns,
    branches: session.branches.length,
    agents: session.agents.length,
    damage,
  };
}

interface Place {
  readonly session_id: string;
  readonly agent_id: string | null;
}

function* conversationRows(session: Session, sessionId: string, agentId: string | null): Generator<TableRow> {
  const place: Place = { session_id: sessionId, agent_id: agentId };
  for (const turn of turnsOf(session)) {
    const calls = toolCallsOf(session, turn);
    const messages = messagesOf(turn);
    yield { table: 'turns', row: turnRow(session, turn, place, messages.length, calls) };
    for (const message of messages) yield { table: 'messages', row: messageRow(session, message, turn, place) };
    for (const call of calls) yield { table: 'tool_calls', row: callRow(session, call, turn, place) };
  }
  const active = new Set(session.branches.find((branch) => branch.active)?.nodes);
  for (const node of session.transcript.nodes) {
    if (node.uuid === undefined) continue;
    const { uuid, parentUuid, line, time, type } = node;
    const row = { ...place, uuid, parent_uuid: parentUuid, line, timestamp: time, type, is_active: active.has(node) };
    yield { table: 'edges', row };
  }
}

function turnRow(session: Session, turn: Turn, place: Place, messages: number, calls: readonly ToolCall[]): Row {
  const { promptKind, nodes, index } = turn;
  const times = nodes.map(({ time }) => time).filter((time) => !Number.isNaN(time));
  return {
    ...place,
    turn: index,
    started_at: times[0],
    ended_at: times.length === 0 ? undefined : times.reduce((latest, time) => Math.max(latest, time)),
    prompt_kind: promptKind,
    prompt: turnPromptText(session, turn) ?? null,
    messages,
    tool_calls: calls.length,
    tool_errors: calls.filter(({ isError }) => isError).length,
  };
}

function messageRow(session: Session, message: Message, turn: Turn, place: Place): Row {
  const [first] = message.nodes;
  const blocks = message.nodes.flatMap((node) => contentOf(readEntry(session, node)));
  return {
    ...place,
    turn: turn.index,
    uuid: first?.uuid,
    line: first?.line,
    timestamp: message.time,
    role: message.role,
    kind: first?.userKind ?? (first?.isApiError === true ? 'api-error' : 'answer'),
    message_id: message.id,
    model: message.model,
    stop_reason: message.stopReason,
    text: textOf(blocks.filter((block) => !isThinking(block))),
    block_types: blocks.map(({ type }) => type),
  };
}

function callRow(session: Session, call: ToolCall, turn: Turn, place: Place): Row {
  const { id, name, node, result, isError, agentId } = call;
  const input = contentOf(readEntry(session, node))
    .filter(isToolUse)
    .find((block) => block.id === id)?.input;
  const durationMs = result === undefined ? Number.NaN : Math.max(0, result.time - node.time);
  return {
    ...place,
    turn: turn.index,
    tool_use_id: id,
    name,
    started_at: node.time,
    duration_ms: durationMs,
    is_answered: result !== undefined,
    is_error: isError,
    input,
    result: result === undefined ? null : textOf(resultBlocks(session, call)),
    started_agent_id: agentId,
  };
}

export function* usageRows(messages: Iterable<CountedMessage>, prices: PriceList): Generator<TableRow> {
  for (const { line, usage, isLowerBound } of messages) {
    const tokens = billedTokens(usage);
    const row = {
      session_id: line.sessionId,
      message_id: line.messageId,
      request_id: line.requestId,
      timestamp: line.time,
      model: line.model,
      is_sidechain: line.isSidechain,
      input_tokens: tokens.inputTokens,
      output_tokens: tokens.outputTokens,
      cache_read_tokens: tokens.cacheReadTokens,
      cache_write_5m_tokens: tokens.cacheWrite5mTokens,
      cache_write_1h_tokens: tokens.cacheWrite1hTokens,
      web_searches: usage.webSearches,
      is_fast: usage.fast,
      is_us_only: usage.usOnly,
      is_batch: usage.batch,
      cost_micro_usd: prices.costOf(line.model, usage, line.time),
      is_lower_bound: isLowerBound,
    };
    yield { table: 'usage', row };
  }
}
