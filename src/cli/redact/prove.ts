// clew redact --prove: searches every file again for everything that was ever redacted in place, and writes a certificate of
// what was searched, by which rules and when. Exit code 0 only if everything was read and nothing was found.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { type JsonObject, jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, formatCount, neutralise } from '../../base/text/index.ts';
import { version } from '../../base/version/index.ts';
import { archiveFolder } from '../../library/archive/index.ts';
import { indexPath } from '../../library/index/index.ts';
import { stateFolder, writeNewFile } from '../../store/index.ts';
import {
  createRedactor,
  type MissedFile,
  type Purge,
  type PurgedValue,
  readPurges,
  type SearchReport,
  searchFiles,
} from '../../surgery/redact/index.ts';
import type { RuleSet } from '../../surgery/secrets/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { rootsOf, rulesArgument } from '../input/index.ts';
import { showByteProgress, writeNotice, writeOut } from '../terminal/index.ts';
import { checkTarget } from './check.ts';
import { searchedPlaces } from './copies.ts';

/** A file that holds a value, with the placeholders of the values by their sessions. */
interface Holder {
  readonly file: string;
  readonly isInName: boolean;
  readonly sessionId: string | null;
  readonly values: readonly { readonly sessionId: string; readonly placeholder: string }[];
}

interface Certificate {
  readonly at: string;
  readonly version: string;
  readonly isClean: boolean;
  readonly purges: readonly Purge[];
  readonly rules: { readonly count: number; readonly kinds: number; readonly sha256: string };
  /** Sessions that the rules were applied to. */
  readonly checked: readonly { readonly file: string; readonly secrets: number }[];
  readonly search: SearchReport;
  readonly holders: readonly Holder[];
  readonly unread: readonly MissedFile[];
}

export async function prove(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const other = ['in-place', 'no-backup', 'dry-run', 'all', 'portable', 'keep-thinking'].find(
    (name) => flags[name] === true,
  );
  if (other !== undefined) throw new UserError(`--prove and --${other} exclude each other`, 'run `clew redact --help`');
  const output = textFlag(flags, 'output');
  const target = output === undefined ? undefined : path.resolve(io.cwd, output);
  if (target !== undefined && existsSync(target))
    throw new UserError(`${target} is there already`, 'choose another file', exitCodes.refused);
  const certificate = await certify(input);
  const json = `${jsonText(certificateJson(certificate), 2)}\n`;
  await writeOut([flags.json === true ? json : neutralise(certificateText(certificate))], io);
  if (target !== undefined) {
    await writeNewFile(target, Buffer.from(json));
    writeNotice(io.stderr, neutralise(`wrote ${target}`));
  }
  const { holders, unread, checked } = certificate;
  const secrets = checked.reduce((sum, each) => sum + each.secrets, 0);
  const left = [
    ...(holders.length === 0
      ? []
      : [`${counted(holders.length, 'place')} still ${holders.length === 1 ? 'holds' : 'hold'} redacted values`]),
    ...(secrets === 0 ? [] : [`the rules find ${counted(secrets, 'secret')} in redacted sessions`]),
    ...(unread.length === 0 ? [] : [`${counted(unread.length, 'file')} could not be searched`]),
  ];
  const isHeld = holders.length + secrets > 0;
  const next = isHeld ? 'run `clew redact SESSION --in-place --no-backup` for each' : 'see the list, and run it again';
  if (left.length > 0) throw new UserError(left.join(', '), next, exitCodes.failed);
}

async function certify(input: CommandInput): Promise<Certificate> {
  const { io } = input;
  const state = stateFolder(io.env);
  const at = new Date().toISOString();
  const { salt, purges: all } = readPurges(state);
  const purges = all.filter(({ sessionId }) => isNamed(sessionId, input.words));
  if (purges.length === 0)
    throw new UserError(
      input.words.length === 0
        ? 'nothing was redacted in place, so nothing was searched'
        : 'no such redaction is recorded',
      '`clew redact SESSION --in-place` records one, `clew redact --check --all` searches by the rules',
      exitCodes.failed,
    );
  const rules = rulesArgument(input);
  const values = purges.flatMap((purge) => purge.values);
  const places = searchedPlaces(
    purges.map(({ main }) => main),
    rootsOf(input),
    io.env,
  );
  const search = await searchFiles(places, {
    salt,
    values,
    archive: archiveFolder(io.env),
    progress: showByteProgress(io.stderr, 'searching'),
  });
  const checked = [];
  for (const { main, sessionId } of purges.filter((purge) => existsSync(purge.main))) {
    try {
      const secrets = await checkTarget(input, { path: main, sessionId }, rules);
      checked.push({ file: main, secrets: secrets.length });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      input.unread.addFailed(main, error);
    }
  }
  const unread = [...search.unread, ...input.unread.problems.map(({ path: file, code }) => ({ file, reason: code }))];
  const holders = findHolders(search, purges);
  const index = findOldIndex(state, purges);
  if (index !== undefined && !holders.some(({ file }) => file === index.file)) holders.push(index);
  const isClean = holders.length + unread.length === 0 && checked.every(({ secrets }) => secrets === 0);
  return { at, version, isClean, purges, rules: describeRules(rules), checked, search, holders, unread };
}

function isNamed(sessionId: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => sessionId.startsWith(word));
}

/** A name that holds a value is shown without it. */
function findHolders({ copies, found }: SearchReport, purges: readonly Purge[]): Holder[] {
  const redactor = createRedactor();
  for (const [{ kind, placeholder }, value] of found) redactor.learnValue({ kind, placeholder, value });
  const owners = new Map(purges.flatMap(({ sessionId, values }) => values.map((value) => [value, sessionId] as const)));
  return copies.map(({ file, isInName, sessionId, values }) => ({
    file: redactor.hide(file),
    isInName,
    sessionId: sessionId ?? null,
    values: values.map((value) => ({ sessionId: owners.get(value) ?? '', placeholder: value.placeholder })),
  }));
}

/** Words of an index are not searched: one that was built before the copies were cleaned may have those of a value. */
function findOldIndex(state: string, purges: readonly Purge[]): Holder | undefined {
  const pending = purges.filter(({ doneAt }) => doneAt === undefined);
  const file = indexPath(state);
  if (pending.length === 0 || !existsSync(file)) return undefined;
  const values = pending.flatMap(({ sessionId, values }) =>
    values.map(({ placeholder }) => ({ sessionId, placeholder })),
  );
  return { file, isInName: false, sessionId: null, values };
}

function describeRules({ rules }: RuleSet): Certificate['rules'] {
  const text = rules.map((rule) => JSON.stringify({ ...rule, pattern: String(rule.pattern) })).join('\n');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { count: rules.length, kinds: new Set(rules.map(({ kind }) => kind)).size, sha256 };
}

function certificateJson(certificate: Certificate): JsonObject {
  const { at, version, isClean, purges, rules, checked, search, holders, unread } = certificate;
  return {
    at,
    version,
    clean: isClean,
    redactions: purges.map((purge) => ({
      sessionId: purge.sessionId,
      at: purge.at,
      doneAt: purge.doneAt ?? null,
      values: purge.values.map(valueJson),
      tooShort: [...purge.tooShort],
    })),
    rules: { ...rules },
    checked: checked.map((each) => ({ ...each })),
    searched: search.folders.map((each) => ({ ...each })),
    sha256: search.sha256,
    holders: holders.map((each) => ({ ...each, values: each.values.map((value) => ({ ...value })) })),
    unread: unread.map((each) => ({ ...each })),
    partly: search.partly.map((each) => ({ ...each })),
  };
}

function valueJson({ placeholder, length, sha256 }: PurgedValue): JsonObject {
  return { placeholder, length, sha256 };
}

function certificateText(certificate: Certificate): string {
  const { at, version, isClean, purges, rules, checked, search, holders, unread } = certificate;
  const values = purges.reduce((sum, purge) => sum + purge.values.length, 0);
  const short = purges.reduce((sum, purge) => sum + purge.tooShort.length, 0);
  const secrets = checked.reduce((sum, each) => sum + each.secrets, 0);
  return lines([
    `searched on ${at} by clew ${version} for ${counted(values, 'value')} of ${counted(purges.length, 'redacted session')}`,
    ...purges.map(
      ({ sessionId, at: since, values }) =>
        `  ${sessionId}, ${since}: ${values.map(({ placeholder }) => placeholder).join(' ')}`,
    ),
    'every byte of:',
    ...search.folders.map(
      ({ folder, files, bytes }) => `  ${folder}: ${counted(files, 'file')}, ${formatBytes(bytes)}`,
    ),
    `  sha256 of all: ${search.sha256}`,
    `by ${formatCount(rules.count)} rules, ${checked.length} of the redacted sessions: ${counted(secrets, 'secret')} found`,
    `  sha256 of the rules: ${rules.sha256}`,
    ...(short === 0 ? [] : [`${counted(short, 'value')} of fewer than eight characters: searched by the rules only`]),
    ...listed(`${counted(search.partly.length, 'file')} searched in part only:`, search.partly),
    ...listed(`${counted(unread.length, 'file')} could not be searched:`, unread),
    ...(holders.length === 0
      ? []
      : [`${counted(holders.length, 'place')} still ${holders.length === 1 ? 'holds' : 'hold'} redacted values:`]),
    ...holders.map(holderText),
    isClean ? 'nothing is left in what was searched' : 'not clean',
  ]);
}

function holderText({ file, isInName, sessionId, values }: Holder): string {
  const where = `${isInName ? ' (its name)' : ''}${sessionId === null ? '' : ` (session ${sessionId})`}`;
  return `  ${file}${where}: ${[...new Set(values.map(({ placeholder }) => placeholder))].join(' ')}`;
}

function listed(head: string, files: readonly MissedFile[]): string[] {
  return files.length === 0 ? [] : [head, ...files.map(({ file, reason }) => `  ${file}: ${reason}`)];
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
