// clew setup: registers Clew with Claude Code by hand, for those who do not use the plugin: shows every change first, asks,
// writes, and takes it back with --remove.
import { homedir } from 'node:os';
import path from 'node:path';
import { findUserConfig } from '../../agent/settings/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, jsonText } from '../../base/json/index.ts';
import { neutralise, padEnd } from '../../base/text/index.ts';
import { parseSettings, readSettingsFile, withSettingsLock } from '../../settings/index.ts';
import { stateFolder } from '../../store/index.ts';
import { readTeamConfig } from '../../team/config/index.ts';
import { detectClientVersion, installedEvents, readTraceConfig } from '../../trace/config/index.ts';
import type { CommandInput } from '../command/index.ts';
import { programFile, refuseDemo, rootsOf } from '../input/index.ts';
import { canAsk, confirm, writeNotice, writeOut } from '../terminal/index.ts';
import { requireLastingPath } from '../trace/index.ts';
import { type Plan, planAdd, refuseBesidePlugin } from './add.ts';
import { applyPlan, type FileChange, formatDiff, nameAction, previewChanges, type WrittenFile } from './apply.ts';
import { type Place, SetupContent } from './content.ts';
import { readGuardFile } from './guard-file.ts';
import { type PartName, partNames, partTexts, pluginParts } from './parts.ts';
import { emptyRecord, type RootRecord, readRecords, recordFile, setRecordAside } from './record.ts';
import { planRemove } from './remove.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags } = input;
  refuseDemo(input, '`clew setup`');
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('no folder for the settings', 'name one with --root');
  const modes = ['remove', 'status'].filter((name) => flags[name] === true);
  if (modes.length > 1) throw new UserError('--remove and --status do not go together', 'give one of them');
  if (flags['all-projects'] === true && (modes.length > 0 || isWithoutServer(input)))
    throw new UserError('--all-projects is for the MCP server', 'add --mcp');
  const place: Place = { root, userConfig: findUserConfig(root, homedir()), env: input.io.env };
  if (flags.status === true) return showStatus(input, place);
  const isRemoval = flags.remove === true;
  if (!isRemoval) requireLastingPath(programFile, 'clew setup');
  await finish(input, place, isRemoval ? planRemoval(input, place) : await planAddition(input, place));
}

/** Called again with the settings lock, because the files and the record may have changed since. */
type MakePlan = (record: RootRecord) => Plan;

const readText = readSettingsFile;

function namedParts({ flags }: CommandInput): readonly PartName[] {
  return partNames.filter((part) => flags[part] === true);
}

function isWithoutServer(input: CommandInput): boolean {
  const named = namedParts(input);
  return named.length > 0 && !named.includes('mcp');
}

async function planAddition(input: CommandInput, place: Place): Promise<MakePlan> {
  const { io, flags } = input;
  const named = namedParts(input);
  const plugin = enabledPlugin(place.root);
  if (plugin !== undefined)
    refuseBesidePlugin(
      plugin,
      named.filter((part) => pluginParts.includes(part)),
    );
  const usual = partNames.filter(
    (part) => isUsual(part, input) && !(plugin !== undefined && pluginParts.includes(part)),
  );
  if (plugin !== undefined && named.length === 0)
    writeNotice(io.stderr, `the plugin ${plugin} is enabled, so this is set up without it: ${usual.join(', ')}`);
  const chosen = new Map((named.length > 0 ? named : usual).map((part) => [part, named.includes(part)]));
  const needsVersion = (['archive', 'push', 'trace'] as const).some((part) => chosen.has(part));
  const version = needsVersion ? await detectClientVersion([place.root], io.env) : undefined;
  if (chosen.has('trace') && readTraceConfig(io.env).destinations.length === 0)
    writeNotice(io.stderr, 'no tracing destination is set up yet; see docs/tracing.md');
  if (chosen.has('push') && readTeamConfig(io.env).store === undefined)
    writeNotice(io.stderr, 'no store is set up yet; see docs/team.md');
  if (chosen.has('guard') && !readGuardFile(io.env))
    writeNotice(io.stderr, 'no limit is set yet; for example clew guard set --soft 5 --hard 15');
  const isAllProjects = flags['all-projects'] === true;
  return (record) => planAdd({ place, record, chosen, isAllProjects, clientVersion: version?.numbers });
}

/** Without a choice: what costs nothing and is of use to everybody; the rest if it is configured. */
function isUsual(part: PartName, { io }: CommandInput): boolean {
  if (part === 'trace') return hasDestination(io.env);
  if (part === 'push') return readTeamConfig(io.env).store !== undefined;
  return part === 'guard' ? readGuardFile(io.env) : true;
}

/** As for the plugin, a destination of OpenTelemetry alone may be there for other programs. */
function hasDestination(env: NodeJS.ProcessEnv): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: _, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: _traces, ...own } = env;
  return readTraceConfig(own).destinations.length > 0;
}

function planRemoval(input: CommandInput, place: Place): MakePlan {
  const named = namedParts(input);
  const chosen = new Set(named.length > 0 ? named : partNames);
  return (record) => planRemove({ place, record, chosen });
}

function enabledPlugin(root: string): string | undefined {
  const file = path.join(root, 'settings.json');
  const plugins = asObject(parseSettings(readText(file), file).enabledPlugins) ?? {};
  return Object.keys(plugins).find((name) => /^clew@/.test(name) && plugins[name] === true);
}

async function finish(input: CommandInput, place: Place, makePlan: MakePlan): Promise<void> {
  const { flags, io } = input;
  const isJson = flags.json === true;
  const isRemoval = flags.remove === true;
  const plan = makePlan(readRootRecord(input, place));
  const changes = previewChanges(plan);
  if (!isJson) await writeOut([neutralise(planText(plan, changes, isRemoval))], io);
  const isDryRun = flags['dry-run'] === true;
  let files: readonly WrittenFile[] = [];
  if (!isDryRun) {
    if (changes.length > 0 && !(await mayWrite(input, changes.length)))
      return writeNotice(io.stderr, 'nothing was changed');
    files = await applyLocked(input, place, makePlan);
  }
  if (isJson) return writeOut([`${jsonText(jsonReport(place, plan, changes, files, isRemoval), 2)}\n`], io);
  const backups = files.flatMap(({ backup }) => (backup === null || isRemoval ? [] : [`backup: ${backup}\n`]));
  const last = isDryRun || changes.length === 0 ? '' : doneText(isRemoval);
  await writeOut([neutralise(`${backups.join('')}${last}`)], io);
}

function applyLocked({ io }: CommandInput, place: Place, makePlan: MakePlan): Promise<readonly WrittenFile[]> {
  const { env, root } = place;
  return withSettingsLock(stateFolder(env), async () => {
    const records = readRecords(env);
    if (records.damage !== undefined)
      writeNotice(io.stderr, `the damaged record is kept as ${setRecordAside(env, records)}`);
    const record = records.roots.get(root) ?? emptyRecord;
    return applyPlan(makePlan(record), place, record);
  });
}

function readRootRecord({ io }: CommandInput, { env, root }: Place): RootRecord {
  const { roots, damage } = readRecords(env);
  if (damage !== undefined) {
    const next = 'what has the form of clew setup is found without it; hooks of tracing go with clew trace uninstall';
    writeNotice(io.stderr, `${recordFile(env)} is damaged (${damage}); ${next}`);
  }
  return roots.get(root) ?? emptyRecord;
}

async function mayWrite({ flags, io }: CommandInput, count: number): Promise<boolean> {
  if (flags.yes === true) return true;
  if (!canAsk(io.stderr))
    throw new UserError(
      'changing the settings of Claude Code needs confirmation: add `--yes`',
      'use `--dry-run` to look first',
      exitCodes.refused,
    );
  return confirm(`Write ${count === 1 ? 'this file' : `these ${count} files`}?`, io.stderr);
}

const stateTexts = { add: 'set up', already: 'there already', skip: 'left out', remove: 'remove' } as const;

function planText({ parts }: Plan, changes: readonly FileChange[], isRemoval: boolean): string {
  if (parts.length === 0) return isRemoval ? 'nothing of clew setup is there\n' : 'nothing to set up\n';
  const rows = parts.map(({ part, state, note }) => {
    const text = note === undefined ? partTexts[part] : `${partTexts[part]}; ${note}`;
    return `${padEnd(part, 12)}${padEnd(stateTexts[state], 15)}${text}\n`;
  });
  if (changes.length === 0) return `${rows.join('')}nothing to change\n`;
  const diffs = changes.map((change) => {
    const lines = (change.after ?? change.before ?? '').split('\n').length - 1;
    const isCopy = change.target.file.endsWith('.md');
    return isCopy ? `${nameAction(change)} ${change.target.file} (${lines} lines)\n` : formatDiff(change);
  });
  return `${rows.join('')}\n${diffs.join('')}`;
}

function doneText(isRemoval: boolean): string {
  return isRemoval
    ? 'removed; sessions that are open now keep what they have loaded\n'
    : 'done; new sessions of Claude Code have it, and `clew setup --remove` takes it back\n';
}

function jsonReport(
  { root }: Place,
  { parts }: Plan,
  changes: readonly FileChange[],
  written: readonly WrittenFile[],
  isRemoval: boolean,
): object {
  return {
    root,
    changed: written.length > 0,
    parts: parts.map(({ part, state, note }) => ({ part, state, note: note ?? null })),
    files: changes.map((change) => ({
      file: change.target.file,
      action: nameAction(change),
      backup: written.find(({ file }) => file === change.target.file && !isRemoval)?.backup ?? null,
      diff: formatDiff(change),
    })),
  };
}

async function showStatus(input: CommandInput, place: Place): Promise<void> {
  const { flags, io } = input;
  const { root, userConfig } = place;
  const record = readRootRecord(input, place);
  const content = new SetupContent(place, record);
  const plugin = enabledPlugin(root) ?? null;
  const { settings, known } = content;
  const hasTrace = installedEvents(readText(settings), settings).length > 0;
  const parts = partNames.map((part) => {
    const isOwn = known[part] !== undefined && content.isPresent(part);
    const isByPlugin = plugin !== null && pluginParts.includes(part);
    const isOther = part === 'trace' && hasTrace;
    return { part, by: isOwn ? 'setup' : isOther ? 'trace install' : isByPlugin ? 'plugin' : null };
  });
  if (record.goal !== undefined)
    writeNotice(io.stderr, 'the last clew setup was interrupted; run it again, or clew setup --remove takes it back');
  if (flags.json === true) return writeOut([`${jsonText({ root, settings, userConfig, plugin, parts }, 2)}\n`], io);
  const rows = parts.map(({ part, by }) => `${padEnd(part, 12)}${padEnd(by ?? '–', 15)}${partTexts[part]}\n`);
  await writeOut(rows, io);
}
