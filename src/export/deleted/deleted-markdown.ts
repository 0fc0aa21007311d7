// What is left of a deleted session → Markdown: the prompts with their times, the versions of files with the changes
// between them, sub-agents, tasks, and where the rest is.
import { statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { readRegularFile } from '../../base/files/index.ts';
import { counted, formatBytes } from '../../base/text/index.ts';
import type { DeletedContents, FileVersions, LeftFile } from '../../library/deleted/index.ts';
import { loadSession } from '../../session/load/index.ts';
import { compareTexts, diffText } from '../../session/story/index.ts';
import { readLines } from '../../store/index.ts';
import type { Redactor } from '../../surgery/redact/index.ts';
import { codeSpan, fenced, markdownByTurn, plainLine, quoted } from '../markdown/index.ts';
import { exportSource } from '../source/index.ts';

export interface DeletedMarkdownOptions {
  /** Replaces secrets; without one they stay. */
  readonly redactor?: Redactor | undefined;
  /** Versions of files without a cut. */
  readonly full?: boolean;
}

/** Yields what is left of a deleted session as Markdown. */
export async function* deletedMarkdown(
  contents: DeletedContents,
  { redactor, full = false }: DeletedMarkdownOptions = {},
): AsyncGenerator<string> {
  if (redactor !== undefined) learn(contents, redactor);
  for await (const piece of pieces(contents, full)) {
    const text = `${piece}\n`;
    yield redactor === undefined ? text : redactor.redact(Buffer.from(text), 'text').bytes.toString('utf8');
  }
}

/** A value may be recognisable by its name in one place only. */
function learn({ prompts, files, agents, tasks }: DeletedContents, redactor: Redactor): void {
  for (const { text } of [...prompts, ...tasks]) redactor.learn(Buffer.from(text), 'text');
  for (const { versions } of files)
    for (const { path: file } of versions) redactor.learn(Buffer.from(versionText(file) ?? ''), 'text');
  for (const { path: file } of agents)
    for (const batch of readLines(file)) for (const { bytes } of batch) redactor.learn(Buffer.from(bytes), 'record');
}

async function* pieces(contents: DeletedContents, full: boolean): AsyncGenerator<string> {
  yield header(contents);
  yield* promptPieces(contents);
  for (const file of contents.files) yield* filePieces(file, full);
  for (const agent of contents.agents) yield* agentPieces(agent);
  yield* taskPieces(contents);
  yield* restPieces(contents);
}

function header({ session, prompts }: DeletedContents): string {
  const { id, hasId, title, cwd, startedAt, endedAt, isArchived } = session;
  const rows = [
    ['session', hasId ? codeSpan(id) : 'not known: the prompts have no session id, and are grouped by folder and time'],
    ['folder', cwd === undefined ? 'not known' : codeSpan(cwd)],
    ['time', timesText(startedAt, endedAt)],
    ['prompts', String(prompts.length)],
  ];
  return [
    `# ${plainLine(title ?? 'Deleted session')}`,
    '',
    '> The transcript of this session was deleted. This is what was left of it; answers, tool calls and results are lost.',
    ...(isArchived ? [`> The archive has the whole session: \`clew restore ${id}\` brings it back.`] : []),
    '',
    '| | |',
    '| --- | --- |',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
  ].join('\n');
}

function timesText(startedAt: number, endedAt: number): string {
  if (Number.isNaN(startedAt)) return 'not known';
  return startedAt === endedAt ? moment(startedAt) : `${moment(startedAt)} to ${moment(endedAt)}`;
}

function moment(time: number): string {
  return Number.isNaN(time) ? 'time not known' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

function* promptPieces({ prompts }: DeletedContents): Generator<string> {
  yield '\n## Prompts';
  if (prompts.length === 0) yield '\n*No prompt is left. Prompts of `claude -p` are not kept by the client.*';
  for (const { text, time } of prompts) yield `\n**${moment(time)}**\n\n${quoted(text)}`;
}

/** Larger or binary versions are only named. */
const longestVersion = 1024 * 1024;
const shownLines = 200;

function* filePieces({ path: file, pathHash, versions }: FileVersions, full: boolean): Generator<string> {
  yield `\n## ${file === undefined ? `A file whose path is not known (${pathHash})` : codeSpan(file)}`;
  yield `\n${counted(versions.length, 'version')}, each from before a change; the last change is not among them.`;
  let before: string | undefined;
  for (const { path: copy, version, mtimeMs } of versions) {
    yield `\n### Version ${version}, ${moment(mtimeMs)}`;
    yield `\n${codeSpan(copy, 300)}`;
    const text = versionText(copy);
    if (text === undefined) yield '\n*Not shown: it is large, binary or cannot be read.*';
    else if (before === undefined) yield `\n${fenced(cut(text, full))}`;
    else if (before === text) yield '\n*The same as the version before.*';
    else yield `\n${fenced(cut(diffText(compareTexts(before, text)), full), 'diff')}`;
    before = text;
  }
}

function cut(text: string, full: boolean): string {
  const lines = text.split('\n');
  if (full || lines.length <= shownLines) return text;
  return `${lines.slice(0, shownLines).join('\n')}\n… ${lines.length - shownLines} more lines; --full shows them`;
}

function versionText(file: string): string | undefined {
  try {
    const { size } = statSync(file);
    if (size > longestVersion) return undefined;
    const bytes = readRegularFile(file, { maxBytes: longestVersion });
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}

async function* agentPieces({ path: file }: LeftFile): AsyncGenerator<string> {
  yield `\n## Sub-agent ${codeSpan(path.basename(file, '.jsonl'))}`;
  try {
    const session = await loadSession(file);
    let isFirst = true;
    for await (const { turn, text } of markdownByTurn(exportSource(session), {})) {
      // The table of facts is that of a whole session.
      if (turn === 0) continue;
      yield `${isFirst ? '\n' : ''}${text.replace(/^(\n*)(#{1,4}) /, '$1#$2 ').replace(/\n$/, '')}`;
      isFirst = false;
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    yield `\n*${plainLine(error.message)}*`;
  }
}

function* taskPieces({ tasks }: DeletedContents): Generator<string> {
  if (tasks.length === 0) return;
  yield '\n## Tasks\n';
  for (const { text, status } of tasks)
    yield `- [${status === 'completed' ? 'x' : ' '}] ${plainLine(text, 500)} (${plainLine(status, 40)})`;
}

function* restPieces({ toolResults, others, shellSnapshots }: DeletedContents): Generator<string> {
  if (toolResults.length + others.length + shellSnapshots.length === 0) return;
  yield '\n## Other files that are left\n';
  for (const [what, files] of [
    ['tool output', toolResults],
    ['file', others],
  ] as const)
    for (const { path: file, sizeBytes } of files)
      yield `- ${what}: ${codeSpan(file, 300)} (${formatBytes(sizeBytes)})`;
  for (const file of shellSnapshots)
    yield `- shell environment, saved at that time, perhaps by another session: ${codeSpan(file, 300)}`;
}
