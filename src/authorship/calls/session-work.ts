// A session with its sub-agents → the changes that its calls made to the wanted files, its moves of files and its
// commits. Only calls with a result that is not an error count: one that was declined or failed wrote nothing.
import path from 'node:path';
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { readNumbered } from '../../base/text/index.ts';
import { blocksOf, contentOf, isToolResult, isToolUse, textOf } from '../../format/entry/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import { type AgentSource, openAgent, readEntry, type Session } from '../../session/load/index.ts';
import { callsOf, type Node, resultsOf } from '../../session/transcript/index.ts';
import { turnPromptText, turnsOf } from '../../session/turns/index.ts';
import {
  applyAction,
  type CallAuthor,
  type FileEdit,
  type FileMove,
  type SessionCommit,
  type SessionWork,
} from './file-edit.ts';
import { effectsOf } from './shell-effects.ts';
import { editTools, isPatchTool, toolEdits } from './tool-edit.ts';

export interface WorkOptions {
  /** Whether a file, by its absolute path, is wanted. */
  isWanted(file: string): boolean;
  /** The transcripts of sub-agents to read; all by default. */
  readonly agentFiles?: ReadonlySet<string>;
  /** Called for each transcript of a sub-agent that is read. */
  readonly onRead?: (file: string) => void;
}

export async function readWork(session: Session, options: WorkOptions): Promise<SessionWork> {
  const reader = new WorkReader(session, options);
  reader.readMain();
  for (const agent of session.agents) await reader.readAgent(agent);
  return reader;
}

interface Place {
  readonly turn: number | undefined;
  readonly branch: number | undefined;
  readonly prompt: string | undefined;
  readonly turnLine: CallAuthor['turnLine'];
}

const nowhere: Place = { turn: undefined, branch: undefined, prompt: undefined, turnLine: undefined };

class WorkReader implements SessionWork {
  readonly edits: FileEdit[] = [];
  readonly moves: FileMove[] = [];
  readonly commits: SessionCommit[] = [];
  readonly #session: Session;
  readonly #options: WorkOptions;
  readonly #title: string | undefined;
  readonly #places = new Map<number, Place>();
  /** Where a call was made: by the id of the call. */
  readonly #placeOfCall = new Map<string, Place>();

  constructor(session: Session, options: WorkOptions) {
    this.#session = session;
    this.#options = options;
    this.#title = titleOf(session);
    for (const [i, branch] of session.branches.entries()) {
      for (const turn of turnsOf(session, branch)) {
        const prompt = turnPromptText(session, turn);
        const turnLine = turn.prompt ?? turn.nodes.find(({ uuid }) => uuid !== undefined) ?? turn.nodes[0];
        const place = { turn: turn.index, branch: i === 0 ? undefined : i + 1, prompt, turnLine };
        for (const node of turn.nodes) if (!this.#places.has(node.index)) this.#places.set(node.index, place);
      }
    }
  }

  readMain(): void {
    const inline = new Set(this.#session.agents.flatMap(({ nodes }) => nodes));
    const nodes = this.#session.transcript.nodes.filter((node) => !inline.has(node));
    let last = nowhere;
    for (const node of nodes) {
      last = this.#places.get(node.index) ?? last;
      for (const { id } of callsOf(node)) this.#placeOfCall.set(id, last);
    }
    this.#readCalls(this.#session, nodes, undefined);
  }

  async readAgent(agent: AgentSource): Promise<void> {
    const { agentFiles, onRead } = this.#options;
    if (agent.path !== undefined && agentFiles !== undefined && !agentFiles.has(agent.path)) return;
    if (agent.path !== undefined) onRead?.(agent.path);
    const opened = await openAgent(this.#session, agent);
    if ('unreadable' in opened) return;
    const place = this.#placeOfCall.get(agent.toolUseId ?? '') ?? nowhere;
    for (const node of opened.transcript.nodes) for (const { id } of callsOf(node)) this.#placeOfCall.set(id, place);
    this.#readCalls(opened, opened.transcript.nodes, agent.agentId);
  }

  #readCalls(session: Session, nodes: readonly Node[], agentId: string | undefined): void {
    const seen = new Map<string, string>();
    const done = new Set<string>();
    for (const node of nodes) {
      for (const { id, name } of callsOf(node)) {
        const isShell = name === 'Bash' || name === 'PowerShell';
        if (done.has(id) || !(isShell || name === 'Read' || editTools.has(name) || isPatchTool(name))) continue;
        const result = session.relatives.resultsFor(id)[0];
        if (result === undefined || hasError(result, id)) continue;
        done.add(id);
        const { input, isCopy } = inputOf(session, node, id);
        if (input === undefined) continue;
        const call = { session, node, result, id, name, input, agentId, isCopy };
        if (name === 'Read') this.#see(call, seen);
        else if (isShell) this.#addShell(call);
        else this.#addEdits(call, seen);
      }
    }
  }

  #see({ session, node, result, id, input }: Call, seen: Map<string, string>): void {
    const file = absolute(asString(input.file_path), node);
    if (file === undefined || !this.#options.isWanted(file)) return;
    const text = wholeFile(storedResult(session, result)) ?? shownFile(session, result, id, input);
    if (text !== undefined) seen.set(file, text);
  }

  #addEdits(call: Call, seen: Map<string, string>): void {
    const { session, node, result, name, input } = call;
    // Nothing of the call is read if none of its files is wanted.
    const named = absolute(asString(input.file_path) ?? asString(input.notebook_path), node);
    if (named !== undefined && !this.#options.isWanted(named)) return;
    for (const { path: file, ...edit } of toolEdits(name, input, storedResult(session, result))) {
      const target = absolute(file, node);
      if (target === undefined || !this.#options.isWanted(target)) continue;
      const last = seen.get(target);
      this.edits.push({ ...this.#common(call, target), ...edit, seen: last });
      const from = edit.before ?? last;
      const after = edit.after ?? (from === undefined ? undefined : applyAction(edit.action, from));
      if (after !== undefined) seen.set(target, after);
    }
  }

  #addShell(call: Call): void {
    const { session, node, result, id, input } = call;
    const command = asString(input.command);
    if (command === undefined) return;
    const { edits, moves } = effectsOf(command, node.cwd ?? '/');
    this.moves.push(...moves);
    for (const { path: file, action } of edits) {
      if (!this.#options.isWanted(file)) continue;
      const common = this.#common(call, file);
      this.edits.push({ ...common, action, before: undefined, after: undefined, seen: undefined, ownLines: undefined });
    }
    if (!/\bgit\b/.test(command)) return;
    for (const found of printed(session, result, id).matchAll(/^\[[^\]\n]*\b([0-9a-f]{7,40})\] /gm))
      this.commits.push({ hash: found[1] as string, sessionId: this.#session.id, time: node.time });
  }

  #common({ node, id, name, agentId, isCopy }: Call, file: string): CommonFields {
    const { turn, branch, prompt, turnLine } = this.#placeOfCall.get(id) ?? nowhere;
    const author: CallAuthor = {
      sessionId: this.#session.id,
      path: this.#session.transcript.path,
      title: this.#title,
      turn,
      branch,
      agentId,
      prompt,
      turnLine: turnLine === undefined ? undefined : { uuid: turnLine.uuid, line: turnLine.line },
      isArchived: false,
    };
    return { id, tool: name, path: file, time: node.time, line: node.line, author, isCopy };
  }
}

type CommonFields = Pick<FileEdit, 'id' | 'tool' | 'path' | 'time' | 'line' | 'author' | 'isCopy'>;

interface Call {
  readonly session: Session;
  readonly node: Node;
  readonly result: Node;
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly agentId: string | undefined;
  readonly isCopy: boolean;
}

function hasError(result: Node, id: string): boolean {
  return resultsOf(result).some((head) => head.toolUseId === id && head.isError);
}

function inputOf(session: Session, node: Node, id: string): { input: JsonObject | undefined; isCopy: boolean } {
  const entry = readEntry(session, node, 'sent');
  const block = contentOf(entry).find((each) => isToolUse(each) && each.id === id);
  const origin = asString(asObject((entry as JsonObject).forkedFrom)?.sessionId);
  return {
    input: block === undefined ? undefined : asObject((block as JsonObject).input),
    isCopy: origin !== undefined && origin !== session.id,
  };
}

/** A line with the results of several calls has one stored result, which is of one of them. */
function storedResult(session: Session, result: Node): JsonValue | undefined {
  return resultsOf(result).length === 1 ? session.transcript.read(result, 'toolUseResult').toolUseResult : undefined;
}

function printed(session: Session, result: Node, id: string): string {
  const block = contentOf(readEntry(session, result, 'sent')).find(
    (each) => isToolResult(each) && each.tool_use_id === id,
  );
  return block !== undefined && isToolResult(block) ? textOf(blocksOf(block.content)) : '';
}

function absolute(file: string | undefined, node: Node): string | undefined {
  if (file === undefined || file === '' || file.includes('\0')) return undefined;
  return path.resolve(node.cwd ?? '/', file);
}

/** The content that a Read of a whole file stored. */
function wholeFile(stored: JsonValue | undefined): string | undefined {
  const file = asObject(asObject(stored)?.file);
  const isWhole =
    file !== undefined && file.startLine === 1 && file.numLines === file.totalLines && !isArray(file.cells);
  return isWhole ? asString(file.content)?.replaceAll('\r\n', '\n') : undefined;
}

/** The same from what the model saw, for sub-agents, whose results are not stored. */
function shownFile(session: Session, result: Node, id: string, input: JsonObject): string | undefined {
  if (input.offset !== undefined || input.limit !== undefined) return undefined;
  const shown = readNumbered(printed(session, result, id));
  return shown?.firstLine === 1 ? shown.content : undefined;
}
