// A library of one session in a temporary folder, to operate on: copies of real sessions with all their files, a
// separate state folder, and the bytes of everything for comparison.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { isObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { operationsFolder, readRecords } from '../../src/surgery/journal/operation-log.ts';
import { undoOperation } from '../../src/surgery/journal/undo-operations.ts';
import { corpusFolder } from './corpus.ts';
import { filesBelow } from './paths.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';

export interface Bench {
  readonly root: string;
  /** The project folder. */
  readonly folder: string;
  readonly main: string;
  readonly env: NodeJS.ProcessEnv & { readonly CLEW_HOME: string };
}

/** A separate session from a builder's text; `files` are next to it in the project folder. */
export function benchWith(
  context: TestContext,
  sessionId: string,
  text: string | Buffer,
  files: Readonly<Record<string, string | Buffer>> = {},
): Bench {
  const bench = emptyBench(context, sessionId);
  writeTree(bench.folder, { [`${sessionId}.jsonl`]: text, ...files });
  return bench;
}

/** A copy of a real session with its side folder. */
export function benchOf(context: TestContext, transcript: string): Bench {
  const sessionId = path.basename(transcript, '.jsonl');
  const bench = emptyBench(context, sessionId);
  cpSync(transcript, bench.main);
  const side = transcript.replace(/\.jsonl$/, '');
  if (existsSync(side)) cpSync(side, bench.main.replace(/\.jsonl$/, ''), { recursive: true });
  for (const name of readdirSync(path.dirname(transcript)))
    if (name.startsWith('agent-')) cpSync(path.join(path.dirname(transcript), name), path.join(bench.folder, name));
  return bench;
}

function emptyBench(context: TestContext, sessionId: string): Bench {
  const root = temporaryFolder(context);
  const folder = path.join(root, 'library/projects/-home-kim-project');
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, CLEW_HOME: path.join(root, 'state') };
  return { root: path.join(root, 'library'), folder, main: path.join(folder, `${sessionId}.jsonl`), env };
}

/** Every file below a folder with its bytes. */
export function contentsOf(folder: string): ReadonlyMap<string, string> {
  const files = existsSync(folder) ? filesBelow(folder, '') : [];
  return new Map(
    files
      .filter((file) => statSync(file).isFile())
      .map((file) => [path.relative(folder, file), readFileSync(file).toString('latin1')]),
  );
}

/** Main transcripts of the real client that contain a conversation. */
export function realSessions(): string[] {
  return filesBelow(path.join(corpusFolder, 'corpus/real'), '.jsonl').filter((file) =>
    /^[0-9a-f]{8}-[0-9a-f-]{27}\.jsonl$/.test(path.basename(file)),
  );
}

/** A third of them, another third for each `part`; all with CLEW_LONG=1. The tests of the real client use all of them. */
export function someRealSessions(part: number): string[] {
  return realSessions().filter((_, i) => process.env.CLEW_LONG === '1' || i % 3 === part % 3);
}

/** Undoes the last operation. */
export async function undoLast(bench: Pick<Bench, 'env'>): Promise<void> {
  const operations = operationsFolder(bench.env);
  const record = (await readRecords(operations)).find(({ state }) => state === 'done');
  if (record === undefined) throw new Error('nothing was operated on');
  await undoOperation(operations, record, bench.env);
}

export function entriesOf(file: string): JsonObject[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n').map(parseJson).filter(isObject);
}

/** What a resume sends: the text or id of every block. */
export async function sentBy(file: string): Promise<string[]> {
  const request = requestMessages(await loadSession(file));
  if ('refused' in request) return [`refused: ${request.refused}`];
  return request.messages.flatMap(({ content }) =>
    content.map((block) => String(block.text ?? block.id ?? block.tool_use_id).trimEnd()),
  );
}

/** A line of a copy, without the differences from the original: the session id and the source of the line. */
export function asBefore({ forkedFrom, ...entry }: JsonObject, sessionId: string): JsonObject {
  return 'sessionId' in entry ? { ...entry, sessionId } : entry;
}

/** The bytes of a copy, without the sources of its lines. */
export function withoutOrigin(text: string): string {
  return text.replaceAll(/,"forkedFrom":\{[^}]*\}/g, '');
}
