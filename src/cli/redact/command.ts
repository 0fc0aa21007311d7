// clew redact SESSION: writes a copy with placeholders for secrets, or replaces them in place; --check only searches.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { type Outcome, operate, type Source } from '../../surgery/engine/index.ts';
import { planRedact, type RedactPlan } from '../../surgery/redact/index.ts';
import { type CommandInput, listFlag, textFlag } from '../command/index.ts';
import { rulesArgument } from '../input/index.ts';
import { outcomeJson, outcomeText, sourceArgument } from '../operation/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { type CleanedCopies, cleanArchive, cleanState, planArchive, planState } from './copies.ts';
import { secretsJson, secretsText, turnsByLine } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, words } = input;
  if (flags.check === true) return (await import('./check.ts')).check(input);
  if (flags.all === true) throw new UserError('--all needs --check', 'name the SESSION to redact');
  if (words.length !== 1) throw new UserError('redact needs one SESSION', 'run `clew redact --help`');
  if (flags['no-backup'] === true && flags['in-place'] !== true)
    throw new UserError('--no-backup needs --in-place', 'without it the original session is not changed');
  const source = await sourceArgument(input);
  const planned = await planRedact(source, {
    isInPlace: flags['in-place'] === true,
    keepsThinking: flags['keep-thinking'] === true,
    ruleSet: rulesArgument(input),
    words: wordsOf(input),
  });
  const onWait = (holder: string): void => writeNotice(input.io.stderr, `waiting for another clew (${holder})`);
  const outcome = await operate(planned.plan, [planned.source], {
    env: input.io.env,
    isDryRun: flags['dry-run'] === true || planned.secrets.length === 0,
    isPortable: flags.portable === true,
    keepsBackup: flags['no-backup'] !== true,
    onWait,
  });
  const copies = await copiesOf(input, source, planned, outcome, onWait);
  const notes = [...outcome.notes, ...backupNotes(input, outcome), ...copies.notes, ...copies.problems];
  const hidden = notes.map((note) => planned.redactor.hide(note));
  await print(input, { ...outcome, notes: hidden }, source, planned);
  if (copies.problems.length > 0)
    throw new UserError(
      `${counted(copies.problems.length, 'copy', 'copies')} could not be cleaned`,
      'delete the files named above',
      exitCodes.failed,
    );
}

function wordsOf({ flags }: CommandInput): string[] {
  const rules = textFlag(flags, 'rules');
  return [
    ...['in-place', 'keep-thinking', 'no-backup'].filter((name) => flags[name] === true).map((name) => `--${name}`),
    ...(rules === undefined ? [] : ['--rules', rules]),
    ...listFlag(flags, 'kind').flatMap((kind) => ['--kind', kind]),
  ];
}

function backupNotes({ flags }: CommandInput, { isWritten }: Outcome): string[] {
  if (flags['in-place'] !== true || flags['no-backup'] === true || !isWritten) return [];
  return ['the backup for `clew undo` still holds the secrets; --no-backup keeps none'];
}

/** Only a session that is redacted in place has its copies cleaned. */
async function copiesOf(
  { flags, io }: CommandInput,
  { session }: Source,
  { redactor, secrets }: RedactPlan,
  { isWritten }: Outcome,
  onWait: (holder: string) => void,
): Promise<CleanedCopies> {
  if (secrets.length === 0) return { notes: [], problems: [] };
  const options = { session, redactor, env: io.env, onWait };
  const isInPlace = flags['in-place'] === true;
  const isFinal = flags['no-backup'] === true;
  if (!isWritten || !isInPlace)
    return { notes: [...planArchive(options, isInPlace), ...(isFinal ? await planState(options) : [])], problems: [] };
  const archive = await cleanArchive(options);
  if (!isFinal) return archive;
  const state = await cleanState(options);
  return { notes: [...archive.notes, ...state.notes], problems: [...archive.problems, ...state.problems] };
}

function unread({ notes }: Outcome): readonly string[] {
  return notes.filter((note) => note.startsWith('left out: ')).map((note) => `  ${note}\n`);
}

async function print(
  { flags, io }: CommandInput,
  outcome: Outcome,
  source: Source,
  { secrets }: RedactPlan,
): Promise<void> {
  const { main } = source.session.files;
  if (flags.json === true) {
    const value = { ...outcomeJson(outcome), secrets: secretsJson(secrets, main, turnsByLine(source.session)) };
    return writeOut([`${jsonText(value, 2)}\n`], io);
  }
  if (secrets.length === 0)
    return writeOut(
      [`no secrets found in ${source.session.id}; nothing was written\n`, ...unread(outcome).map(neutralise)],
      io,
    );
  const { id: _, ...final } = outcome;
  const text = outcomeText(flags['no-backup'] === true ? final : outcome, source);
  await writeOut([neutralise(text), neutralise(secretsText(secrets, main, turnsByLine(source.session)))], io);
}
