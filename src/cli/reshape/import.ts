// clew import FILE: adds the sessions of a bundle, ready to resume in a folder of this machine, and shows what a client could
// do with them later.
import { homedir } from 'node:os';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { type JsonObject, jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { discoverSessions, projectsFolder } from '../../store/index.ts';
import {
  type ClientReach,
  type PlannedImport,
  planImport,
  type ReachedLine,
  unpackBundle,
} from '../../surgery/bundle/index.ts';
import { type Outcome, operate } from '../../surgery/engine/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { operationNotices, outcomeJson, outcomeText } from '../operation/index.ts';
import { canAsk, confirm, writeOut, writeText } from '../terminal/index.ts';
import { folderArgument, realFolder } from './move.ts';

export async function run(input: CommandInput): Promise<void> {
  const { io, flags } = input;
  const file = path.resolve(io.cwd, input.argument ?? '');
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('there is no root to import into', 'name one with --root');
  const to = realFolder(folderArgument(textFlag(flags, 'to') ?? '.', io.cwd));
  const { sessions, problems } = await discoverSessions([root]);
  await unpackBundle(file, io.env, async (manifest, unpacked) => {
    const planned = await planImport(manifest, {
      file,
      unpacked,
      projects: projectsFolder(root),
      to,
      home: io.env.HOME ?? homedir(),
      keepsPrompt: flags['keep-prompt'] === true,
      keepsAll: flags['all-files'] === true,
      // The id of a session that cannot be read is also taken.
      taken: new Set([...sessions, ...problems].map(({ path: each }) => path.basename(each, '.jsonl').toLowerCase())),
    });
    const outcome = await operate(planned.plan, planned.sources, {
      ...operationNotices(io),
      isDryRun: flags['dry-run'] === true,
      mayWrite: () => mayWrite(input, planned),
    });
    await print(input, planned, outcome);
  });
}

/** Asks before files come in that a client could run or obey. */
async function mayWrite({ flags, io }: CommandInput, { reach }: PlannedImport): Promise<boolean> {
  const risky = reach.rewind.filter(({ risk }) => risk !== undefined);
  if (risky.length === 0 || flags.yes === true) return true;
  if (flags.json === true || !canAsk(io.stderr))
    throw new UserError('confirmation required: add `--yes`', 'use `--dry-run` to look first', exitCodes.refused);
  const lines = risky.map(({ action, path: file, risk }) => `  ${action} ${file} (${risk})\n`);
  writeText(io.stderr, neutralise(`A rewind of this session could:\n${lines.join('')}`));
  return confirm('Import these files too?', io.stderr);
}

async function print({ flags, io }: CommandInput, { reach, sources }: PlannedImport, outcome: Outcome): Promise<void> {
  const isAll = flags['dry-run'] === true;
  const text =
    flags.json === true
      ? `${jsonText({ ...outcomeJson(outcome), reach: reachJson(reach) }, 2)}\n`
      : neutralise(outcomeText(outcome, sources[0]) + reachText(reach, isAll));
  await writeOut([text], io);
}

function reachJson({ rewind, leftOut, named }: ClientReach): JsonObject {
  return {
    rewind: rewind.map(({ risk, ...target }) => ({ ...target, risk: risk ?? null })),
    leftOut: leftOut.map(({ isByChoice, ...file }) => ({ ...file, allFilesIncludes: isByChoice })),
    named: named.map((each) => ({ ...each })),
  };
}

/** What a client could do with the sessions: counts, or with `isAll` each file, command and path. */
function reachText({ rewind, leftOut, named }: ClientReach, isAll: boolean): string {
  const valuesOf = (kind: ReachedLine['kind']): readonly string[] =>
    named.filter((each) => each.kind === kind).map(({ value }) => value);
  const [settings, commands] = [valuesOf('setting'), valuesOf('command')];
  const [outputs, outside] = [valuesOf('output'), valuesOf('outside')];
  const parts: readonly (readonly [string, readonly string[]])[] = [
    [
      `a rewind could write or delete ${counted(rewind.length, 'file')}`,
      rewind.map(({ action, path: file, risk }) => `${action} ${file}${risk === undefined ? '' : ` (${risk})`}`),
    ],
    // Without the list, the notes of the operation have this.
    [
      `left out: ${counted(leftOut.length, 'file')}`,
      isAll ? leftOut.map(({ file, reason }) => `${file} (${reason})`) : [],
    ],
    [`left out: ${counted(settings.length, 'setting')} of the client that wrote it`, settings],
    [`names ${counted(commands.length, 'command')} of hooks that ran where it was made`, commands],
    [`names ${counted(outputs.length, 'file')} of stored output`, outputs],
    [`names ${counted(outside.length, 'path')} outside its folders`, outside],
  ];
  const shown = parts.filter(([, values]) => values.length > 0);
  if (shown.length === 0) return '';
  const list = (values: readonly string[]): readonly string[] => (isAll ? values.map((value) => `      ${value}`) : []);
  const lines = shown.flatMap(([title, values]) => [`    ${title}`, ...list(values)]);
  const next = isAll ? '' : ' (--dry-run or --json lists them)';
  return `  what a client could do with it${next}:\n${lines.join('\n')}\n`;
}
