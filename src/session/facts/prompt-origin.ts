// A session → whether the system prompt that it pins is Claude Code's own, as far as that is known: a resume sends it
// word for word, whoever wrote it.
import { createHash } from 'node:crypto';
import { asString, type JsonObject } from '../../base/json/index.ts';
import { readEntry, type Session } from '../load/index.ts';
import { countingSnapshot, resumeLines } from '../resume/request/index.ts';

/** SHA-256 of the first sentences of the prompts of Claude Code and its SDK: the texts are not ours to publish. */
const clientPrefixes: ReadonlySet<string> = new Set([
  '2719b7a469d904b3281d8488976f33103944211279bddf04c05bca44d184dae6',
  '6c1afcd9232947a1d8f7c44a79316f8fe08d06dcdc6e7453f09e2d78fa858e5e',
  '0d7062851dd7bd7e66d4be4f12ac4951e3d2f587ec408295333a49963bd3f6b7',
]);

/** Clew's agent wrote this line. Its system prompt is not the client's. */
export function isWrittenByClew(entry: JsonObject): boolean {
  return asString(entry.writtenBy)?.startsWith('clew ') === true;
}

/** The first version that writes snapshots. */
const firstVersion = [2, 1, 270] as const;

/**
 * The notice for a pinned system prompt that is not known to be the client's; `undefined` if it is, or none is pinned.
 * `known`: SHA-256 of the beginnings of the client's prompts.
 */
export function strangePrompt(session: Session, known: ReadonlySet<string> = clientPrefixes): string | undefined {
  if (session.isAgent || !session.transcript.nodes.some(({ subtype }) => subtype === 'prompt_snapshot'))
    return undefined;
  const resumed = resumeLines(session.transcript);
  const lines = 'refused' in resumed ? [] : resumed.lines;
  const snapshot = countingSnapshot(lines, (node) => session.transcript.read(node));
  if (snapshot === undefined) return undefined;
  const node = lines.find(({ line }) => line === snapshot.line);
  const version = node === undefined ? undefined : asString(readEntry(session, node).version);
  const prefix = asString(snapshot.content.cliPrefix);
  // The first snapshot of a session has no prefix yet; the second comes with the first answer.
  const isFirst = prefix === undefined && !lines.some(({ type, line }) => type === 'assistant' && line > snapshot.line);
  if ((isFirst || known.has(hashOf(prefix ?? ''))) && isVersionSince(version, firstVersion)) return undefined;
  return `line ${snapshot.line} pins a system prompt that Claude Code is not known to write; a resume sends it word for word`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function isVersionSince(version: string | undefined, first: readonly number[]): boolean {
  const parts = (version ?? '').split('.').map(Number);
  for (const [i, least] of first.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
