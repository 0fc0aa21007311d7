// clew redact --check: searches sessions, files or stdin for secrets, for hooks and CI. Exit code 1 if there are any.
import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatCount, neutralise } from '../../base/text/index.ts';
import { leftOutNotes, type SessionPath, sessionPaths } from '../../library/session-files/index.ts';
import { loadSession } from '../../session/load/index.ts';
import { type DiskProblem, discoverSessions, diskError } from '../../store/index.ts';
import {
  createRedactor,
  learnFile,
  listSecrets,
  type RedactedSecret,
  surveyContent,
  surveyFile,
  surveyName,
} from '../../surgery/redact/index.ts';
import type { RuleSet } from '../../surgery/secrets/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findNamedSession, rootsOf, rulesArgument } from '../input/index.ts';
import { showByteProgress, writeNotice, writeOut } from '../terminal/index.ts';
import { findingsText, secretsJson, type TurnsByLine, turnsByLine } from './render.ts';

/** A session with all its files, or one file; `undefined` for stdin. */
interface Target {
  readonly path: string | undefined;
  readonly sessionId: string | undefined;
}

interface Checked {
  readonly target: Target;
  readonly secrets: readonly RedactedSecret[];
  readonly turns: TurnsByLine;
}

export async function check(input: CommandInput): Promise<void> {
  const { io } = input;
  const rules = rulesArgument(input);
  const targets = await chosenTargets(input);
  const progress = showByteProgress(io.stderr, 'checking');
  progress.start(targets.reduce((sum, { path: file }) => sum + sizeOf(file), 0));
  const found: Checked[] = [];
  let checked = 0;
  try {
    for (const target of targets) {
      const unreadBefore = input.unread.size;
      const secrets = await checkTarget(input, target, rules).catch((error: unknown) => {
        // A file that cannot be read is reported, and the others are still checked.
        if (!(error instanceof UserError)) throw error;
        input.unread.addFailed(target.path ?? '-', error);
        return [];
      });
      if (input.unread.size === unreadBefore) checked++;
      if (secrets.length > 0) found.push({ target, secrets, turns: await turnsOf(target, secrets) });
      progress.add(sizeOf(target.path));
      await setImmediate();
    }
  } finally {
    progress.end();
  }
  await print(input, checked, found);
  const total = found.reduce((sum, { secrets }) => sum + secrets.length, 0);
  if (total > 0)
    throw new UserError(
      `${counted(total, 'secret')} found`,
      'run `clew redact SESSION` and rotate them',
      exitCodes.failed,
    );
}

async function chosenTargets(input: CommandInput): Promise<readonly Target[]> {
  const { flags, words, io } = input;
  if ((flags.all === true) === words.length > 0)
    throw new UserError('--check needs SESSIONs or files, - for stdin, or --all', 'run `clew redact --help`');
  if (flags.all === true) {
    const { sessions, problems } = await discoverSessions(rootsOf(input));
    input.unread.add(problems, { withMissing: true });
    return sessions.map((session) => ({ path: session.path, sessionId: path.basename(session.path, '.jsonl') }));
  }
  const targets: Target[] = [];
  for (const word of words) {
    const file = path.resolve(io.cwd, word);
    if (word === '-') targets.push({ path: undefined, sessionId: undefined });
    else if (isFile(file)) {
      const sessionId = word.endsWith('.jsonl') ? path.basename(file, '.jsonl') : undefined;
      targets.push({ path: file, sessionId });
    } else {
      const main = await findNamedSession(word, input);
      targets.push({ path: main, sessionId: path.basename(main, '.jsonl') });
    }
  }
  return targets;
}

export async function checkTarget(
  input: CommandInput,
  target: Target,
  rules: RuleSet,
): Promise<readonly RedactedSecret[]> {
  const redactor = createRedactor(rules);
  if (target.path === undefined) return listSecrets(redactor, [surveyContent(await readAll(), '-', redactor)]);
  const own = { path: target.path, name: path.basename(target.path) };
  try {
    const files = target.sessionId === undefined ? [own] : await readableFiles(target.path, input);
    const clean = new Map(files.map((file) => [file.path, learnFile(file, redactor)]));
    const named = files.filter((file) => file.path !== own.path);
    for (const file of named) redactor.learnFileName(file.name);
    if (redactor.list().length === 0) return [];
    const inside = files.map((file) => surveyFile(file, redactor, clean.get(file.path)));
    return listSecrets(redactor, [...inside, ...named.map((file) => surveyName(file, redactor))]);
  } catch (error) {
    throw diskError(error, 'read', target.path);
  }
}

/** A session that cannot be loaded is reported without turns. */
async function turnsOf({ path: file, sessionId }: Target, secrets: readonly RedactedSecret[]): Promise<TurnsByLine> {
  const isInMain = secrets.some(({ places }) => places.some((place) => place.file === file && place.line > 0));
  if (file === undefined || sessionId === undefined || !isInMain) return new Map();
  return loadSession(file).then(turnsByLine, () => new Map());
}

/** A file that cannot be read may hold a secret, so its session does not count as checked. */
async function readableFiles(main: string, input: CommandInput): Promise<readonly SessionPath[]> {
  const problems: DiskProblem[] = [];
  const { files, leftOut } = await sessionPaths(main, problems);
  for (const note of leftOutNotes(leftOut)) writeNotice(input.io.stderr, note);
  input.unread.add(problems);
  return files.filter((file) => !problems.some((problem) => problem.path === file.path));
}

async function readAll(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece as Buffer));
  return Buffer.concat(pieces);
}

async function print({ flags, io, unread }: CommandInput, checked: number, found: readonly Checked[]): Promise<void> {
  if (flags.json === true) {
    const sessions = found.map(({ target, secrets, turns }) => ({
      sessionId: target.sessionId ?? null,
      path: target.path ?? null,
      secrets: secretsJson(secrets, target.path ?? '-', turns),
    }));
    return writeOut([`${jsonText({ checked, sessions, unread: unread.problems }, 2)}\n`], io);
  }
  const texts = found.map(({ target, secrets, turns }) => {
    const name = target.sessionId ?? target.path ?? 'stdin';
    const findings = findingsText(secrets, target.path ?? '-', turns);
    return neutralise(`${name}: ${counted(secrets.length, 'secret')}\n${findings}`);
  });
  const missed =
    unread.size === 0 ? '' : `; ${counted(unread.size, 'file or folder', 'files and folders')} could not be read`;
  const looked = checked === 0 ? 'nothing was checked' : `no secrets found, ${formatCount(checked)} checked`;
  const clean = found.length === 0 ? [`${looked}${missed}\n`] : [];
  await writeOut([...texts, ...clean], io);
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function sizeOf(file: string | undefined): number {
  return file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
}
