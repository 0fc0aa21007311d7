// clew export SESSION… --format FORMAT: sessions as Markdown, HTML, JSON or chat requests, to stdout or into files;
// secrets are removed unless --no-redact is given.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { exportAnthropic, exportJson, exportOpenai } from '../../export/index.ts';
import { exportMarkdown, type MarkdownOptions } from '../../export/markdown/index.ts';
import { type ExportSource, exportFileName, exportSource, type SecretCount } from '../../export/source/index.ts';
import { summarise } from '../../session/facts/index.ts';
import { replaceFile, writeNewFile } from '../../store/index.ts';
import type { Source } from '../../surgery/engine/index.ts';
import { redactorFor } from '../../surgery/redact/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { packageRoot, rulesArgument } from '../input/index.ts';
import { sourceArgument } from '../operation/index.ts';
import { shortIds } from '../render/index.ts';
import { onStoreCopies } from '../source/index.ts';
import { type Chunks, writeNotice, writeOut } from '../terminal/index.ts';

type Format = 'md' | 'html' | 'json' | 'anthropic' | 'openai';

interface Target {
  readonly path: string;
  readonly subjects: readonly ExportSource[];
}

export async function run(input: CommandInput): Promise<void> {
  const { flags } = input;
  const isParquet = textFlag(flags, 'format') === 'parquet';
  if (isParquet && flags.store !== undefined) return (await import('./lake.ts')).exportStore(input);
  const forLake = ['to', 'level', 'tables', 'since', 'until', 'purge'].find((name) => flags[name] !== undefined);
  if (forLake !== undefined)
    throw new UserError(`--${forLake} is for tables of the team's store`, 'add --store and --format parquet');
  if (isParquet) return (await import('./parquet.ts')).exportTables(input);
  if (flags.all === true) throw new UserError('--all needs --format parquet', 'add it, or name the sessions');
  const format = formatOf(textFlag(flags, 'format') ?? 'md');
  if (flags.raw === true && format !== 'html')
    throw new UserError('--raw needs --format html', 'leave out --raw; `clew cat` prints the raw lines');
  const output = textFlag(flags, 'output');
  if (output === undefined && flags.json === true)
    throw new UserError('--json lists the written files', 'add --output');
  await onStoreCopies(input, 'export', (copied) => exportSessions(copied, format, output));
}

async function exportSessions(input: CommandInput, format: Format, output: string | undefined): Promise<void> {
  const { io } = input;
  const subjects = await subjectsOf(input);
  if (output !== undefined)
    return writeFiles(input, format, targetsOf(subjects, format, path.resolve(io.cwd, output), output));
  if (subjects.length > 1 && !isLines(format))
    throw new UserError(`${format} holds one session per file`, 'add --output DIR/ for several sessions');
  await writeOut(chunksOf(subjects, format, input), io);
  for (const subject of subjects) if (isLines(format)) writeNotice(io.stderr, takenOut(subject));
}

function formatOf(name: string): Format {
  if (name === 'md' || name === 'html' || name === 'json' || name === 'anthropic' || name === 'openai') return name;
  throw new UserError(`there is no format "${name}"`, 'use md, html, json, anthropic, openai or parquet');
}

/** A request is one line, so several sessions make JSON Lines. */
function isLines(format: Format): boolean {
  return format === 'anthropic' || format === 'openai';
}

async function subjectsOf(input: CommandInput): Promise<readonly ExportSource[]> {
  if (input.words.length === 0) throw new UserError('no session is named', 'run `clew ls` to see them');
  const sources = new Map<string, Source>();
  for (const word of input.words) {
    const source = await sourceArgument({ ...input, argument: word }, { isOnlyRead: true });
    sources.set(source.session.files.main, source);
  }
  // One redactor for all: a secret found in one session is removed from the others too.
  const isPlain = input.flags['no-redact'] === true;
  const redactor = isPlain ? undefined : redactorFor([...sources.values()], rulesArgument(input));
  return [...sources.values()].map(({ session }) => exportSource(session, redactor));
}

function targetsOf(
  subjects: readonly ExportSource[],
  format: Format,
  target: string,
  typed: string,
): readonly Target[] {
  const isFolder = /[/\\]$/.test(typed) || statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && (subjects.length === 1 || isLines(format))) return [{ path: target, subjects }];
  if (existsSync(target) && !statSync(target).isDirectory())
    throw new UserError(`${target} is a file`, `choose a folder for ${counted(subjects.length, 'session')}`);
  const ids = shortIds(subjects.map(({ session }) => session.id));
  const taken = new Set<string>();
  return subjects.map((subject) => {
    const { title, startedAt } = summarise(subject.session);
    const shortId = ids.get(subject.session.id) ?? subject.session.id;
    const named = { title: subject.hide(title ?? ''), startedAt };
    let name = exportFileName({ ...named, shortId }, extensions[format]);
    // Copies of a session in two roots have the same id.
    for (let n = 2; taken.has(name); n++)
      name = exportFileName({ ...named, shortId: `${shortId}-${n}` }, extensions[format]);
    taken.add(name);
    return { path: path.join(target, name), subjects: [subject] };
  });
}

const extensions: Readonly<Record<Format, string>> = {
  md: 'md',
  html: 'html',
  json: 'json',
  anthropic: 'jsonl',
  openai: 'jsonl',
};

async function writeFiles(input: CommandInput, format: Format, targets: readonly Target[]): Promise<void> {
  const { flags, io } = input;
  const isForced = flags.force === true;
  const inTheWay = isForced ? undefined : targets.find((target) => existsSync(target.path));
  if (inTheWay !== undefined)
    throw new UserError(`${inTheWay.path} already exists`, 'choose another file, or add --force', exitCodes.refused);
  for (const target of targets) {
    const bytes = bytesOf(chunksOf(target.subjects, format, input));
    if (isForced && existsSync(target.path)) await replaceFile(target.path, bytes);
    else await writeNewFile(target.path, bytes);
    if (flags.json !== true) await writeOut([`${neutralise(writtenText(target))}\n`], io);
  }
  if (flags.json === true) await writeOut([`${jsonText(writtenJson(format, targets), 2)}\n`], io);
}

async function* chunksOf(
  subjects: readonly ExportSource[],
  format: Format,
  input: CommandInput,
): AsyncGenerator<string> {
  const { flags, io } = input;
  const options = { full: flags.full === true, thinking: flags.thinking === true, raw: flags.raw === true };
  for (const subject of subjects) {
    try {
      yield* formats[format](subject, options);
    } catch (error) {
      // Of several sessions, one without anything to export is skipped.
      if (subjects.length === 1 || !(error instanceof UserError)) throw error;
      writeNotice(io.stderr, error.message);
    }
  }
}

type ExportOptions = MarkdownOptions & { readonly raw?: boolean };

const formats: Readonly<Record<Format, (subject: ExportSource, options: ExportOptions) => Pieces>> = {
  md: exportMarkdown,
  html: pageOf,
  json: exportJson,
  anthropic: exportAnthropic,
  openai: exportOpenai,
};

/** Loaded on demand, because it needs the builders of the session page. */
async function* pageOf(subject: ExportSource, options: ExportOptions): AsyncGenerator<string> {
  const { exportHtml, readPageCode } = await import('../../export/html/html.ts');
  yield* exportHtml(subject, options, readPageCode(path.join(packageRoot, 'dist', 'standalone')));
}

type Pieces = AsyncIterable<string> | Iterable<string>;

async function* bytesOf(chunks: Chunks): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function writtenText({ path: file, subjects }: Target): string {
  return [`wrote ${file}`, ...subjects.map((subject) => `  ${takenOut(subject)}`)].join('\n');
}

function takenOut({ session, isRedacted, secrets }: ExportSource): string {
  const name = session.id.slice(0, 8);
  if (!isRedacted) return `${name}: nothing was redacted`;
  return `${name}: ${kindsText(secrets())}`;
}

function kindsText(secrets: readonly SecretCount[]): string {
  if (secrets.length === 0) return 'no secrets found';
  return `secrets removed: ${secrets.map(({ kind, count }) => `${count} ${kind}`).join(', ')}`;
}

function writtenJson(format: Format, targets: readonly Target[]): object {
  return {
    operation: 'export',
    format,
    sessions: targets.flatMap(({ path: file, subjects }) =>
      subjects.map((subject) => ({
        sessionId: subject.session.id,
        path: file,
        sizeBytes: statSync(file).size,
        redacted: subject.isRedacted,
        secrets: subject.secrets(),
      })),
    ),
  };
}
