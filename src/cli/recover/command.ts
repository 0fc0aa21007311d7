// clew recover ID: what is left of a deleted session, as Markdown, or as a session of its prompts that clients resume.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { neutralise } from '../../base/text/index.ts';
import { deletedMarkdown } from '../../export/deleted/index.ts';
import { type DeletedContents, findDeletedSession, readDeleted } from '../../library/deleted/index.ts';
import { openCurrentIndex } from '../../library/index/index.ts';
import { replaceFile, stateFolder, writeNewFile } from '../../store/index.ts';
import { planRecover } from '../../surgery/recover/index.ts';
import { createRedactor } from '../../surgery/redact/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { rootsOf, rulesArgument } from '../input/index.ts';
import { runPlan } from '../operation/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { argument = '', flags, io } = input;
  refuseWrongFlags(input);
  const options = { roots: rootsOf(input), env: io.env };
  const session = findDeletedSession(argument, options);
  const contents = readDeleted(session, options, session.left.fileVersions === 0 ? [] : touchedPaths(io.env));
  if (flags.session === true) {
    const to = textFlag(flags, 'to');
    await runPlan(input, planRecover(contents, { to: to === undefined ? undefined : path.resolve(io.cwd, to) }), []);
    return;
  }
  if (session.isArchived)
    writeNotice(io.stderr, `the archive has all of it; \`clew restore ${session.id}\` brings it back whole`);
  await writeMarkdown(input, contents);
}

function refuseWrongFlags({ flags }: CommandInput): void {
  const isSession = flags.session === true;
  const wrong = (
    isSession ? ['output', 'full', 'force', 'no-redact', 'rules'] : ['to', 'dry-run', 'json', 'portable']
  ).find((name) => flags[name] !== undefined && flags[name] !== false);
  if (wrong === undefined) return;
  throw new UserError(
    isSession ? `--${wrong} is for Markdown` : `--${wrong} needs --session`,
    isSession ? `leave out --${wrong} or --session` : 'add --session, to write a session instead of Markdown',
  );
}

async function writeMarkdown(input: CommandInput, contents: DeletedContents): Promise<void> {
  const { flags, io } = input;
  const redactor = flags['no-redact'] === true ? undefined : createRedactor(rulesArgument(input));
  const chunks = deletedMarkdown(contents, { redactor, full: flags.full === true });
  const output = textFlag(flags, 'output');
  if (output === undefined) return writeOut(chunks, io);
  const target = path.resolve(io.cwd, output);
  const isThere = existsSync(target);
  if (isThere && flags.force !== true)
    throw new UserError(`${target} is there already`, 'add --force to overwrite it', exitCodes.refused);
  const bytes = toBytes(chunks);
  if (isThere) await replaceFile(target, bytes);
  else await writeNewFile(target, bytes);
  writeNotice(io.stderr, neutralise(`wrote ${target}`));
}

async function* toBytes(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

/** Files that any session touched, as the index knows them: the copies of a file are named by a hash of its path. */
function touchedPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const database = openCurrentIndex(stateFolder(env));
  if (database === undefined) return []; // the path stays unknown
  try {
    const rows = database.prepare('SELECT DISTINCT touched FROM tool_calls WHERE touched IS NOT NULL').all();
    return rows.map((row) => String(row.touched));
  } finally {
    database.close();
  }
}
