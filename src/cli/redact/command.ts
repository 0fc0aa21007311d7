// clew redact SESSION: writes a copy with placeholders for secrets, or replaces them in place; --check only searches, --prove
// searches for what was redacted before.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, neutralise } from '../../base/text/index.ts';
import { stateFolder } from '../../store/index.ts';
import { type Outcome, operate, type Source } from '../../surgery/engine/index.ts';
import { beginPurge, planRedact, type RedactPlan, readPurges } from '../../surgery/redact/index.ts';
import { type CommandInput, listFlag, textFlag } from '../command/index.ts';
import { rootsOf, rulesArgument } from '../input/index.ts';
import { operationNotices, outcomeJson, outcomeText, sourceArgument } from '../operation/index.ts';
import { writeOut } from '../terminal/index.ts';
import {
  type CleanedCopies,
  type CopiesOptions,
  cleanArchive,
  cleanCopies,
  findReturned,
  finishArchive,
  planArchive,
  planCopies,
} from './copies.ts';
import { secretsJson, secretsText, turnsByLine } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, words } = input;
  if (flags.check === true) return (await import('./check.ts')).check(input);
  if (flags.prove === true) return (await import('./prove.ts')).prove(input);
  if (flags.all === true) throw new UserError('--all needs --check', 'name the SESSION to redact');
  if (flags.output !== undefined) throw new UserError('--output needs --prove', 'run `clew redact --help`');
  if (words.length !== 1) throw new UserError('redact needs one SESSION', 'run `clew redact --help`');
  if (flags['no-backup'] === true && flags['in-place'] !== true)
    throw new UserError('--no-backup needs --in-place', 'without it the original session is not changed');
  const work = await planWork(input);
  const outcome = await carryOut(input, work);
  const copies = await copiesOf(input, work, outcome);
  const notes = [...outcome.notes, ...copies.notes, ...copies.remaining];
  const hidden = notes.map((note) => work.planned.redactor.hide(note));
  await print(input, { ...outcome, notes: hidden }, work);
  if (copies.remaining.length > 0 && flags['no-backup'] === true && flags['dry-run'] !== true)
    throw new UserError(
      `redacted values may remain in ${counted(copies.remaining.length, 'place')}`,
      'follow the notes above and run it again; `clew redact --prove` searches again',
      exitCodes.failed,
    );
}

interface Work {
  readonly source: Source;
  readonly planned: RedactPlan;
  /** It was redacted in place before. */
  readonly isRecorded: boolean;
  readonly copies: CopiesOptions;
}

async function planWork(input: CommandInput): Promise<Work> {
  const { flags, io } = input;
  const isInPlace = flags['in-place'] === true;
  const source = await sourceArgument(input);
  const { main } = source.session.files;
  const purges = isInPlace ? readPurges(stateFolder(io.env)).purges : [];
  const planned = await planRedact(source, {
    isInPlace,
    keepsThinking: flags['keep-thinking'] === true,
    ruleSet: rulesArgument(input),
    words: wordsOf(input),
    isSearched: flags['no-backup'] === true && flags['dry-run'] !== true,
    known: isInPlace ? await findReturned(main, io.env) : [],
  });
  return {
    source,
    planned,
    isRecorded: purges.some(({ sessionId }) => sessionId === source.session.id),
    copies: {
      main,
      redactor: planned.redactor,
      roots: rootsOf(input),
      env: io.env,
      stderr: io.stderr,
      onWait: operationNotices(io).onWait,
    },
  };
}

async function carryOut({ flags, io }: CommandInput, { source, planned, copies }: Work): Promise<Outcome> {
  const isDryRun = flags['dry-run'] === true || planned.secrets.length === 0;
  if (flags['in-place'] === true && !isDryRun)
    await beginPurge(
      stateFolder(io.env),
      { sessionId: source.session.id, main: copies.main },
      planned.redactor.values(),
    );
  return operate(planned.plan, [planned.source], {
    ...operationNotices(io),
    isDryRun,
    isPortable: flags.portable === true,
    keepsBackup: flags['no-backup'] !== true,
  });
}

function wordsOf({ flags }: CommandInput): string[] {
  const rules = textFlag(flags, 'rules');
  return [
    ...['in-place', 'keep-thinking', 'no-backup'].filter((name) => flags[name] === true).map((name) => `--${name}`),
    ...(rules === undefined ? [] : ['--rules', rules]),
    ...listFlag(flags, 'kind').flatMap((kind) => ['--kind', kind]),
  ];
}

/** Only a session that is redacted in place, now or before, has its copies cleaned. */
async function copiesOf(input: CommandInput, work: Work, { isWritten }: Outcome): Promise<CleanedCopies> {
  const { flags } = input;
  const isInPlace = flags['in-place'] === true;
  const isFinal = flags['no-backup'] === true;
  const { planned, copies, isRecorded, source } = work;
  if (planned.secrets.length === 0 && !isRecorded) return { notes: [], remaining: [] };
  if (!isInPlace || flags['dry-run'] === true) {
    const rest = isFinal ? await planCopies(copies) : [];
    return { notes: [...planArchive(copies, isInPlace), ...rest], remaining: [] };
  }
  if (isFinal) return cleanCopies(copies);
  const next = `\`clew redact ${source.session.id} --in-place --no-backup\` cleans them, \`clew redact --prove\` lists them`;
  if (!isWritten) {
    const { notes, remaining } = await finishArchive(copies);
    return { notes: [...notes, ...(remaining.length > 0 ? [`copies remain: ${next}`] : [])], remaining };
  }
  const { notes, remaining } = await cleanArchive(copies);
  return {
    notes: [...notes, `the backup for \`clew undo\` and other copies still hold the secrets: ${next}`],
    remaining,
  };
}

function unread({ notes }: Outcome): readonly string[] {
  return notes.filter((note) => note.startsWith('left out: '));
}

async function print(
  { flags, io }: CommandInput,
  outcome: Outcome,
  { source, planned, isRecorded }: Work,
): Promise<void> {
  const { secrets } = planned;
  const { main } = source.session.files;
  if (flags.json === true) {
    const value = { ...outcomeJson(outcome), secrets: secretsJson(secrets, main, turnsByLine(source.session)) };
    return writeOut([`${jsonText(value, 2)}\n`], io);
  }
  if (secrets.length === 0) {
    const { id } = source.session;
    const head = isRecorded
      ? `no secrets found in ${id}, which was redacted before; this run looked for copies of what it held`
      : `no secrets found in ${id}; nothing was written`;
    const rest = isRecorded ? outcome.notes.filter((note) => !note.startsWith('no secrets found')) : unread(outcome);
    return writeOut([`${head}\n`, ...rest.map((note) => neutralise(`  ${note}\n`))], io);
  }
  const { id: _, ...final } = outcome;
  const text = outcomeText(flags['no-backup'] === true ? final : outcome, source);
  await writeOut([neutralise(text), neutralise(secretsText(secrets, main, turnsByLine(source.session)))], io);
}
