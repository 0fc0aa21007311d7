// A session and the level that its user shares → its rows, as they leave the machine. Levels add to each other: metrics have
// no text and no path; text is redacted before anything is made of it.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import type { Database } from '../../library/index/index.ts';
import { openPlaces } from '../../library/places/index.ts';
import { type SessionPath, sessionPaths } from '../../library/session-files/index.ts';
import { agentIdOf, type DiskProblem } from '../../store/index.ts';
import type { RuleSet } from '../../surgery/secrets/index.ts';
import type { ExchangeRow, LevelNumber, PackRow, SessionHead, SessionRows, TextRow } from '../contract/index.ts';
import { nameCleaner, textCleaner } from './clean-names.ts';
import { hashFile, readPieces } from './file-pieces.ts';
import type { LocalSession } from './local-sessions.ts';
import { callRows, cellRow, promptRows, storableTime } from './metric-rows.ts';
import { PackBuilder } from './pack-rows.ts';
import { type RedactedFiles, redactedFiles } from './redacted-files.ts';
import { contentKeyOf, monthsOf, storableMonth, storedFacts, titleRow } from './session-head.ts';
import { baseIdOf, type StoreKey } from './store-key.ts';
import { TextCollector } from './text-rows.ts';

export interface Rules {
  readonly ruleSet: RuleSet;
  /** Changes with every rule. */
  readonly version: string;
}

export interface CollectContext {
  readonly database: Database;
  readonly machine: string;
  readonly key: StoreKey;
  readonly rules: Rules;
  readonly nowMs: number;
}

/** In the store. */
export interface CollectedAs {
  readonly sessionId: string;
  readonly level: LevelNumber;
}

/** Reads the transcripts as far as the index has. */
export async function collectSession(
  session: LocalSession,
  { sessionId, level }: CollectedAs,
  context: CollectContext,
): Promise<SessionRows> {
  const { database, key, rules, nowMs } = context;
  const nameOf = nameCleaner(rules.ruleSet);
  const { calls, callPaths } = callRows(database, session, nameOf);
  const files = level >= 3 ? await filesOf(session) : [];
  const redacted = level >= 3 ? redactedFiles(files, rules.ruleSet) : undefined;
  const clean = redacted === undefined ? textCleaner(rules.ruleSet) : redacted.text;
  const texts = redacted === undefined ? noTexts : await collectTexts(session, files, redacted, context);
  const originals = level >= 4 ? await packOriginals(session, files, texts) : [];
  const name = path.basename(session.path, '.jsonl');
  const rows: Omit<SessionRows, 'head'> = {
    cells: session.cells.map((cell) => cellRow(cell, nameOf)),
    calls,
    prompts: promptRows(database, session, sessionId),
    titles: level >= 2 ? [titleRow(session, name, clean)] : [],
    callPaths: level >= 2 ? callPaths.map((row) => ({ ...row, touched: clean(row.touched) })) : [],
    documents: withFirstPrompt(texts.documents, session.listed?.firstPrompt, clean),
    exchanges: texts.exchanges,
    packs: [...texts.packs, ...originals],
  };
  const main = session.files.find((file) => file.path === session.path);
  const [startedAt, endedAt] = [storableTime(session.startedAt), storableTime(session.endedAt)];
  const month = storableMonth(endedAt, nowMs);
  const head: Omit<SessionHead, 'contentKey' | 'months'> = {
    sessionId,
    baseId: baseIdOf(session.path, key),
    machine: context.machine,
    level,
    month,
    mainBytes: main?.sizeBytes ?? 0,
    mainSha256: main === undefined ? '' : (texts.hashes.get(main.path) ?? hashFile(main.path, main.sizeBytes)),
    rules: level >= 3 ? rules.version : null,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    projectHash: key.hash(session.cwd ?? path.dirname(session.path)),
    facts: { ...storedFacts(session, nameOf) },
  };
  const contentKey = contentKeyOf(head, rows);
  return { head: { ...head, contentKey, months: monthsOf(rows, month, nowMs) }, ...rows };
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}

/** All files of a session, transcripts only as far as the index has read them. */
async function filesOf({ path: main }: LocalSession): Promise<readonly SessionPath[]> {
  const problems: DiskProblem[] = [];
  const { files } = await sessionPaths(main, problems);
  const [problem] = problems;
  if (problem !== undefined)
    throw new UserError(`cannot read ${problem.path} (${problem.code})`, 'check its permissions');
  return files;
}

interface Texts {
  readonly documents: readonly TextRow[];
  readonly exchanges: readonly ExchangeRow[];
  readonly packs: readonly PackRow[];
  /** Of the transcripts without secrets, by path: that of the pack is that of the file, as far as the index has read it. */
  readonly hashes: ReadonlyMap<string, string>;
}

const noTexts: Texts = { documents: [], exchanges: [], packs: [], hashes: new Map() };

async function collectTexts(
  session: LocalSession,
  files: readonly SessionPath[],
  redacted: RedactedFiles,
  { database, rules }: CollectContext,
): Promise<Texts> {
  const nameOf = nameCleaner(rules.ruleSet);
  const indexed = new Map(session.files.map((file) => [file.path, file]));
  const first = session.files[0];
  const places =
    first === undefined
      ? undefined
      : await openPlaces(database, { session: { id: first.session, path: session.path }, hits: [first] });
  const documents: TextRow[] = [];
  const exchanges: ExchangeRow[] = [];
  const packs: PackRow[] = [];
  const hashes = new Map<string, string>();
  let main: TextCollector | undefined;
  for (const [nth, file] of files.entries()) {
    const name = redacted.renameFile(file.name);
    const { mode, mtimeMs } = file.stats;
    const pack = new PackBuilder({ isOriginal: false, nth, name, mode: mode & 0o777, mtimeMs });
    const transcript = indexed.get(file.path);
    let isSame = transcript !== undefined;
    if (transcript === undefined) {
      const content = redacted.content(file);
      if (content === undefined) continue;
      pack.add(content);
    } else {
      const agent = transcript.agentId === undefined ? '' : (agentIdOf(path.posix.basename(name)) ?? name);
      const texts = new TextCollector({ database, file: transcript, agent, places, nameOf, main });
      if (agent === '') main = texts;
      for (const line of redacted.lines(file.path, transcript.sizeBytes)) {
        isSame &&= line.isSame;
        pack.add(line.bytes);
        if (line.terminated) pack.add(newline);
        if (line.offset < transcript.endOffset) texts.add(line);
      }
      documents.push(...texts.documents());
      exchanges.push(...texts.exchanges(exchanges.length === 0));
    }
    const pieces = await pack.finish();
    packs.push(...pieces);
    const { sizeBytes, sha256 } = pieces[0] ?? {};
    if (isSame && sizeBytes === transcript?.sizeBytes && typeof sha256 === 'string') hashes.set(file.path, sha256);
  }
  return { documents, exchanges, packs, hashes };
}

const newline = Buffer.from('\n');

/** What `clew ls` shows of a session without a title is text, so only those see it who may see its text. */
function withFirstPrompt(
  documents: readonly TextRow[],
  firstPrompt: string | undefined,
  clean: (text: string) => string,
): readonly TextRow[] {
  const [first, ...rest] = documents;
  if (first === undefined || firstPrompt === undefined) return documents;
  const facts = { ...((first.facts as object | null) ?? {}), firstPrompt: clean(firstPrompt) };
  return [{ ...first, facts }, ...rest];
}

/** Most files have no secrets: they are not compressed again. */
async function packOriginals(
  session: LocalSession,
  files: readonly SessionPath[],
  redacted: Texts,
): Promise<readonly PackRow[]> {
  const sizes = new Map(session.files.map(({ path: file, sizeBytes }) => [file, sizeBytes]));
  const packs: PackRow[] = [];
  for (const [nth, { path: file, name, stats }] of files.entries()) {
    const { mode, mtimeMs, size } = stats;
    const same = redacted.packs.filter((row) => row.nth === nth);
    const hash = redacted.hashes.get(file) ?? (same.length === 0 ? '' : hashFile(file, sizes.get(file) ?? size));
    if (same[0]?.sha256 === hash) {
      packs.push(...same.map((row) => ({ ...row, isOriginal: true, name })));
      continue;
    }
    const pack = new PackBuilder({ isOriginal: true, nth, name, mode: mode & 0o777, mtimeMs });
    for (const piece of readPieces(file, sizes.get(file) ?? size)) pack.add(piece);
    packs.push(...(await pack.finish()));
  }
  return packs;
}

/** The version of the bundled rules and the user's own. */
export function rulesVersion({ rules }: RuleSet, userRules: string): string {
  const texts = rules.map(({ kind, pattern, keywords }) => `${kind} ${pattern} ${keywords.join(' ')}`);
  return createHash('sha256')
    .update([...texts, userRules].join('\n'))
    .digest('hex')
    .slice(0, 16);
}
