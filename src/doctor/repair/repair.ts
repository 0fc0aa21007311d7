// A diagnosis → a surgery plan that repairs everything that can be repaired without guessing: lines, graph and content of the
// main transcript, lines and graph of sub-agents. Lines of other sessions go to sessions of their own.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../base/json/index.ts';
import { isUuid } from '../../base/text/index.ts';
import type { Edit } from '../../format/bytes/index.ts';
import { loadAgent, makeSession, type Session } from '../../session/load/index.ts';
import type { Node, Transcript } from '../../session/transcript/index.ts';
import {
  type Dropped,
  droppedBy,
  newSession,
  type Plan,
  type PlannedSession,
  type Rewrite,
  rewriteLines,
  type Source,
  type StagedSession,
  sameSession,
} from '../../surgery/engine/index.ts';
import { pinTo } from '../../surgery/request/index.ts';
import { examine, type Finding, judgeThinking, restoredSession, saysSame, strangersOf } from '../checks/index.ts';
import { type Diagnosis, diagnoseSession } from '../diagnosis/index.ts';
import { repairBlocks } from './blocks.ts';
import { relink } from './relink.ts';
import { type Strategy, sequenceOf } from './sequence.ts';

/** Options of `planRepair`. */
export interface RepairOptions {
  readonly strategy?: Strategy;
  readonly isInPlace?: boolean;
}

/** Plans the repair of a session. Returns `undefined` if there is nothing to repair, or no conversation left. */
export async function planRepair(
  stored: Source,
  diagnosis: Diagnosis,
  options: RepairOptions = {},
): Promise<Plan | undefined> {
  if (!diagnosis.findings.some(isRepairable) || diagnosis.findings.some(({ code }) => code === 'F-empty'))
    return undefined;
  const { session, lineOf } = restoredSession(stored.session);
  const source = { ...stored, session, files: withTranscript(stored, session.transcript) };
  const strategy = options.strategy ?? defaultStrategy(diagnosis);
  const main = repairMain(session, strategy);
  const rewrites = new Map<string, Rewrite>([[stored.session.transcript.path, main.rewrite]]);
  const dropped = [...main.dropped];
  for (const agent of session.agents) {
    if (agent.path === undefined || !diagnosis.findings.some(({ file }) => file === agent.path)) continue;
    const own = repairAgent({ ...(await loadAgent(session, agent)), isAgent: true });
    rewrites.set(agent.path, own.rewrite);
    dropped.push(...own.dropped.map((each) => ({ ...each, file: agent.path ?? '' })));
  }
  const result = options.isInPlace === true ? sameSession(source, { rewrites }) : newSession(source, { rewrites });
  return {
    operation: 'fix',
    words: ['--strategy', strategy],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [result, ...strayedSessions(source, main.strangers)],
    readAs: [source],
    lineOf,
    dropped,
    notes: notesFor(diagnosis, main.strangers),
    violations: 'all',
    loadsLess: strategy === 'newest',
    judgeThinking,
    expects: (staged, index) => (index === 0 ? findingsLeft(staged) : []),
  };
}

function withTranscript({ files }: Source, transcript: Transcript): Source['files'] {
  return files.map((file, i) => (i === 0 ? { ...file, transcript } : file));
}

export function defaultStrategy({ findings }: Diagnosis): Strategy {
  return findings.some(({ code }) => code === 'G-lost-leaf') ? 'graft' : 'bridge';
}

async function findingsLeft({ session }: StagedSession): Promise<readonly string[]> {
  const { findings, reachable } = await diagnoseSession(session);
  const left = findings
    // Thinking is judged once the chain has its final form, and left out then.
    .filter((finding) => isRepairable(finding) && !/^A-thinking-(?:bound|hole)$/.test(finding.code))
    .map(({ code, line, message }) => `${code} at line ${line} is left: ${message}`);
  return reachable.loaded === reachable.of
    ? left
    : [...left, `a resume would load ${reachable.loaded} of ${reachable.of} entries`];
}

interface Repaired {
  readonly rewrite: Rewrite;
  readonly dropped: readonly Dropped[];
  readonly strangers: ReadonlyMap<string, readonly Node[]>;
}

function repairMain(session: Session, strategy: Strategy): Repaired {
  const strangers = strangersOf(examine(session));
  const away = new Set([...strangers.values()].flat());
  const own = away.size === 0 ? session : withoutNodes(session, away);
  const sequence = sequenceOf(own, strategy);
  const copies = new Map([...copiesElsewhere(own, sequence.nodes), ...sameTwice(own)]);
  const { lines, drops: emptied } = repairBlocks(
    own,
    sequence.nodes.filter((node) => !copies.has(node)),
  );
  const reasons = new Map([...sequence.drops, ...copies, ...emptied]);
  const linked = relink({
    session: own,
    lines,
    drops: new Set(reasons.keys()),
    rewritten: oddNodes(own.transcript),
  });
  // Nodes of a picked transcript are numbered again; their offsets identify them.
  const indexOf = new Map(session.transcript.nodes.map((node) => [`${node.offset}`, node.index]));
  const index = (node: Node): number => indexOf.get(`${node.offset}`) ?? -1;
  const drops = new Map([...reasons].map(([node, reason]) => [index(node), reason]));
  const inserts = new Map<number, readonly JsonObject[]>(
    [...linked.made].map(([node, entries]) => [index(node), entries]),
  );
  if (linked.first.length > 0) inserts.set(-1, linked.first);
  const last = session.transcript.nodes.at(-1)?.index ?? -1;
  if (linked.leafUuid !== undefined) {
    inserts.set(last, [...(inserts.get(last) ?? []), pinTo(linked.leafUuid, session.id)]);
  }
  const gone = new Map([...drops, ...[...away].map((node) => [node.index, 'moved'] as const)]);
  return {
    rewrite: { edits: byIndex(linked.edits, index), drops: gone, inserts, isCleaned: true },
    dropped: [...droppedBy(session.transcript, drops), ...fragments(session.transcript)],
    strangers,
  };
}

/** A sub-agent is not resumed: only its lines and links are repaired. */
function repairAgent(session: Session): Omit<Repaired, 'strangers'> {
  const reasons = sameTwice(session);
  const linked = relink({
    session,
    lines: [],
    drops: new Set(reasons.keys()),
    rewritten: oddNodes(session.transcript),
  });
  const drops = new Map([...reasons].map(([node, reason]) => [node.index, reason]));
  return {
    rewrite: { edits: byIndex(linked.edits, (node) => node.index), drops, isCleaned: true },
    dropped: [...droppedBy(session.transcript, drops), ...fragments(session.transcript)],
  };
}

function byIndex(
  edits: ReadonlyMap<Node, readonly Edit[]>,
  index: (node: Node) => number,
): ReadonlyMap<number, readonly Edit[]> {
  return new Map([...edits].map(([node, own]) => [index(node), own]));
}

function withoutNodes(session: Session, away: ReadonlySet<Node>): Session {
  const picked = session.transcript.pick(session.transcript.nodes.filter((node) => !away.has(node)));
  const diagnostics = session.transcript.diagnostics;
  return makeSession(session.files, { ...picked, diagnostics });
}

/** Earlier records that a later one with the same uuid repeats word for word. */
function sameTwice(session: Session): ReadonlyMap<Node, string> {
  const drops = new Map<Node, string>();
  for (const node of session.transcript.nodes) {
    const later = session.graph.byUuid(node.uuid);
    if (later === undefined || later === node) continue;
    if (saysSame(session.transcript, node, later)) drops.set(node, `line ${later.line} is the same again`);
  }
  return drops;
}

/** Branches that are only history written again, as far as their lines are on the chain too. */
function copiesElsewhere(session: Session, chain: readonly Node[]): ReadonlyMap<Node, string> {
  const drops = new Map<Node, string>();
  const onChain = new Set(chain);
  const answerIds = new Set(chain.flatMap((node) => (node.type === 'assistant' ? (node.message?.id ?? []) : [])));
  for (const branch of session.branches) {
    if (branch.fork !== undefined && !branch.isReplay) continue;
    for (const node of branch.nodes) {
      const isCopy = node.type === 'assistant' && node.message?.id !== undefined && answerIds.has(node.message.id);
      if (isCopy && !onChain.has(node)) drops.set(node, 'repeats an earlier line under another uuid');
    }
  }
  return drops;
}

/** Records with bytes or escapes that no text may hold. */
function oddNodes(transcript: Transcript): ReadonlySet<Node> {
  const lines = new Set(
    transcript.diagnostics.filter(({ code }) => code === 'L-utf8' || code === 'L-surrogate').map(({ line }) => line),
  );
  return new Set(transcript.nodes.filter(({ line }) => lines.has(line)));
}

function fragments({ diagnostics }: Transcript): Dropped[] {
  const codes = new Set(['L-torn-tail', 'L-spliced', 'L-not-json']);
  return diagnostics
    .filter(({ code }) => codes.has(code))
    .map(({ code, line, message }) => ({ line, reason: `no record (${code}): ${message}` }));
}

/** Lines that belong to other sessions, each as a session of its own. */
function strayedSessions(source: Source, strangers: ReadonlyMap<string, readonly Node[]>): readonly PlannedSession[] {
  const { transcript } = source.session;
  return [...strangers].map(([id, nodes]) => {
    const isFree = isUuid(id) && !existsSync(path.join(source.folder, `${id}.jsonl`));
    const sessionId = isFree ? id : randomUUID();
    const kept = new Set(nodes);
    const drops = new Map(transcript.nodes.filter((node) => !kept.has(node)).map((node) => [node.index, 'elsewhere']));
    const lines = (): ReturnType<typeof rewriteLines> => rewriteLines(transcript, { drops, isCleaned: true });
    return {
      sessionId,
      folder: source.folder,
      isInPlace: false,
      files: [{ name: `${sessionId}.jsonl`, content: { lines } }],
    };
  });
}

function notesFor({ findings }: Diagnosis, strangers: ReadonlyMap<string, readonly Node[]>): readonly string[] {
  const notes: string[] = [];
  if (findings.some(({ code }) => code === 'A-too-long'))
    notes.push('the conversation is too long for the model: `clew strip` shows what takes the room');
  for (const [id, nodes] of strangers)
    notes.push(`${nodes.length} lines of session ${id} are now a session of their own`);
  return notes;
}

/** Other commands repair a wrong folder and excess length; notes about thinking only report what happened. */
export function isRepairable({ code }: Pick<Finding, 'code'>): boolean {
  return !/^[FIW]-/.test(code) && code !== 'A-too-long' && code !== 'L-oversize';
}
