// A session → an independent copy of it with new line ids, its sub-agents and side files, complete or up to a turn or line.
// The original is only read.

import { randomUUID } from 'node:crypto';
import { UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import { cwdOf, type Session } from '../../session/load/index.ts';
import { callsOf, isBoundary, isMessage, type Node } from '../../session/transcript/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import {
  droppedBy,
  mergeAllRewrites,
  NewIds,
  newSession,
  type Plan,
  type Rewrite,
  relinkInto,
  type Source,
  type StagedSession,
  sessionOf,
} from '../engine/index.ts';
import { lookAtResume } from '../request/index.ts';
import { cwdEdits, folderFor, folderNotes } from './move.ts';

export interface ForeignLines {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
}

const reason = 'part of the system prompt, the tools or the requests of a foreign session';

/** Snapshots of the system prompt and tools, copies of requests, and records of Clew's own agent. */
export function isForeignPrompt({ type, subtype }: Pick<Node, 'type' | 'subtype'>): boolean {
  if (type === 'attachment') return subtype === 'prompt_snapshot' || subtype === 'deferred_tools_record';
  return foreignTypes.has(type);
}

const foreignTypes: ReadonlySet<string> = new Set([
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'clew-prompt',
  'clew-thinking',
]);

/** By transcript: the lines to drop, and the edits that relink the rest. */
export function withoutForeignPrompt(source: Source): ReadonlyMap<string, ForeignLines> {
  const found = new Map<string, ForeignLines>();
  for (const file of source.files) {
    const { transcript } = file;
    const own = transcript?.nodes.filter(isForeignPrompt) ?? [];
    if (transcript === undefined || own.length === 0) continue;
    const drops = new Map(own.map((node) => [node.index, reason]));
    const edits = new Map<number, readonly Edit[]>();
    relinkInto(sessionOf(source, file), edits, drops);
    found.set(transcript.path, { edits, drops });
  }
  return found;
}

export function foreignNotes(lines: ReadonlyMap<string, ForeignLines>): readonly string[] {
  const count = [...lines.values()].reduce((sum, { drops }) => sum + drops.size, 0);
  if (count === 0) return [];
  const what = count === 1 ? '1 line' : `${count} lines`;
  return [
    `left out: ${what} with the system prompt, tools and requests of the session; Claude Code creates its own (--keep-prompt keeps them)`,
  ];
}

/** Options of `planFork`. */
export interface ForkOptions {
  /** The last turn to keep, by its number, or the last line, by its uuid. */
  readonly at?: string;
  /** The working directory of the fork; by default that of the original. */
  readonly to?: string;
  readonly title?: string;
  /** The session may come from another user: its system prompt, tools and thinking are not copied. */
  readonly isForeign?: boolean;
  /** The id of the fork; by default a new one. */
  readonly sessionId?: string;
  /** The project folder of the fork; by default that of the original, or of `to`. */
  readonly folder?: string;
}

/** Plans a copy of a session, up to a turn if one is named. */
export function planFork(source: Source, options: ForkOptions = {}): Plan {
  const { session } = source;
  if (!session.transcript.nodes.some(isMessage))
    throw new UserError(`${session.id} has no conversation`, 'run `clew ls` to find another session');
  const { sessionId = randomUUID() } = options;
  const cut = options.at === undefined ? undefined : findCut(session, options.at);
  const main: Rewrite = { ...cut?.rewrite, ...appended(session, cut, titleFor(session, options), sessionId) };
  const foreign = options.isForeign === true ? withoutForeignPrompt(source) : new Map<string, ForeignLines>();
  const rewrites = mergeAllRewrites(foreign, new Map([[session.transcript.path, main]]));
  const ids = new NewIds(source.files.flatMap(({ transcript }) => transcript ?? []));
  const from = cwdOf(session);
  const renames = (entry: JsonObject): readonly Edit[] => [
    ...ids.edits(entry),
    ...(options.to === undefined || from === undefined ? [] : cwdEdits(entry, from, options.to)),
  ];
  const leftOut = cut === undefined ? undefined : agentsAfter(source, cut.kept);
  const result = newSession(source, {
    sessionId,
    rewrites,
    renames,
    ...(leftOut === undefined ? {} : { leftOut }),
    ...(options.to === undefined ? {} : { folder: folderFor(source.folder, options.to) }),
    ...(options.folder === undefined ? {} : { folder: options.folder }),
  });
  return {
    operation: 'fork',
    words: [...(options.at === undefined ? [] : ['--at', options.at]), ...(options.to ? ['--to', options.to] : [])],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [result],
    ...(options.to === undefined ? {} : { workingFolder: options.to }),
    notes: [...(options.to === undefined ? [] : folderNotes(options.to)), ...foreignNotes(foreign)],
    ...(options.isForeign === true ? { thinking: 'all' as const } : {}),
    dropped: droppedFrom(source, rewrites),
    expects: (staged) => (cut === undefined ? sameRequest(session, staged) : sameLeaf(cut.leaf, staged)),
  };
}

function droppedFrom({ session, files }: Source, rewrites: ReadonlyMap<string, Rewrite>): Plan['dropped'] {
  return files.flatMap(({ transcript, path }) => {
    const drops = rewrites.get(path)?.drops;
    if (transcript === undefined || drops === undefined) return [];
    return droppedBy(transcript, drops, transcript === session.transcript ? undefined : path);
  });
}

export interface Cut {
  readonly leaf: Node;
  readonly kept: ReadonlySet<Node>;
  readonly rewrite: Rewrite;
}

/** What to keep when the history ends at a turn or line: everything before its end, but no later part of the branch. */
export function findCut(session: Session, at: string): Cut {
  const kept = keptUntil(session, at);
  const leaf = lastMessage(kept);
  const end = [...kept].reduce((last, node) => Math.max(last, node.index), 0);
  const [branch] = session.branches;
  const active = new Set(branch?.nodes.flatMap((node) => [node, ...(branch.sideLines.get(node) ?? [])]));
  const drops = new Map<number, string>();
  for (const node of session.transcript.nodes) {
    if (kept.has(node)) continue;
    // Pins of the original may name dropped lines; the fork gets its own.
    if (node.type === 'last-prompt') drops.set(node.index, 'pins the end of the original');
    else if (node.index > end || active.has(node)) drops.set(node.index, 'after the new end');
  }
  dropCopies(session, kept, drops);
  return { leaf, kept, rewrite: { drops } };
}

/** If the file has a line twice, an earlier copy would replace a dropped one. */
function dropCopies({ transcript }: Session, kept: ReadonlySet<Node>, drops: Map<number, string>): void {
  const stays = new Set([...kept].map(({ uuid }) => uuid));
  const gone = new Set([...drops.keys()].map((index) => transcript.nodes[index]?.uuid));
  for (const { uuid, index } of transcript.nodes)
    if (uuid !== undefined && gone.has(uuid) && !stays.has(uuid) && !drops.has(index))
      drops.set(index, 'after the new end');
}

function keptUntil(session: Session, at: string): ReadonlySet<Node> {
  const turns = turnsOf(session);
  if (/^\d+$/.test(at)) {
    const count = Number(at);
    if (count < 1 || count > turns.length)
      throw new UserError(`${session.id} has no turn ${at}`, `it has ${turns.length} turns: see \`clew show\``);
    return new Set(turns.slice(0, count).flatMap((turn) => turn.nodes));
  }
  const matches = session.transcript.nodes.filter((node) => node.uuid?.startsWith(at) === true);
  const node = matches.find(({ uuid }) => uuid === at) ?? (matches.length === 1 ? matches[0] : undefined);
  if (node === undefined)
    throw new UserError(
      `no line of ${session.id} has the uuid ${at}`,
      'name a turn, or a uuid from `clew show --json`',
    );
  const kept = new Set<Node>();
  const passed = new Set<Node>();
  for (
    let line: Node | undefined = node;
    line !== undefined && !passed.has(line);
    line = session.graph.parentOf(line)
  ) {
    passed.add(line);
    for (const each of [line, ...belonging(session, line)]) kept.add(each);
  }
  return kept;
}

/** A message is kept with all its lines and the results of its calls: the API would reject half of it. */
function belonging(session: Session, node: Node): readonly Node[] {
  if (node.type !== 'assistant') return [];
  const lines = session.relatives.linesOf(node);
  return [...lines, ...lines.flatMap(callsOf).flatMap((call) => session.relatives.resultsFor(call.id))];
}

function lastMessage(kept: ReadonlySet<Node>): Node {
  const lines = [...kept].filter((node) => isMessage(node) && node.uuid !== undefined && !node.isSidechain);
  const leaf = lines.reduce<Node | undefined>(
    (last, node) => (last === undefined || node.index > last.index ? node : last),
    undefined,
  );
  if (leaf === undefined) throw new UserError('there is no message up to this point', 'name a later turn');
  return leaf;
}

/** The title and the pin of the fork, after the last kept line. */
function appended(session: Session, cut: Cut | undefined, title: string | undefined, sessionId: string): Rewrite {
  const { nodes } = session.transcript;
  const kept = nodes.filter((node) => cut?.rewrite.drops?.has(node.index) !== true);
  const last = kept.at(-1);
  const entries: JsonObject[] = [];
  if (title !== undefined) entries.push({ type: 'custom-title', customTitle: title, sessionId });
  if (cut?.leaf.uuid !== undefined) entries.push({ type: 'last-prompt', leafUuid: cut.leaf.uuid, sessionId });
  return last === undefined ? {} : { inserts: new Map([[last.index, entries]]) };
}

function titleFor(session: Session, options: ForkOptions): string | undefined {
  const title = options.title ?? titleOf(session);
  if (options.title !== undefined || title === undefined) return options.title;
  return `${[...title.replace(/\s+/g, ' ')].slice(0, 80).join('')} (fork)`;
}

/** The files of sub-agents that only later lines started. */
export function agentsAfter(source: Pick<Source, 'session'>, kept: ReadonlySet<Node>): ReadonlySet<string> {
  const started = new Set([...kept].flatMap(callsOf).map((call) => call.id));
  const later = source.session.agents.filter(({ toolUseId }) => toolUseId !== undefined && !started.has(toolUseId));
  return new Set(
    later.flatMap(({ path }) => (path === undefined ? [] : [path, path.replace(/\.jsonl$/, '.meta.json')])),
  );
}

function sameRequest(original: Session, { session }: StagedSession): readonly string[] {
  return lookAtResume(original).digest === lookAtResume(session).digest
    ? []
    : ['resuming the fork would not send the same messages as resuming the original'];
}

function sameLeaf(leaf: Node, { session }: StagedSession): readonly string[] {
  const [branch] = session.branches;
  const end = branch?.nodes.findLast((node) => !isBoundary(node) && isMessage(node));
  return end?.time === leaf.time && end.type === leaf.type ? [] : ['resuming the fork would end at another line'];
}
