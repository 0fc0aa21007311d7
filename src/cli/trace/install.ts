// clew trace install and uninstall: adds our hooks to the client's settings.json or removes them, with a backup, and only
// for events that the installed client knows.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { neutralise, shellQuote } from '../../base/text/index.ts';
import { readSettingsFile, type SettingsFile, writeSettingsFile } from '../../settings/index.ts';
import {
  detectClientVersion,
  plannedHooks,
  type TraceConfig,
  withoutTraceHooks,
  withTraceHooks,
} from '../../trace/config/index.ts';
import { runHook } from '../../trace/hook/index.ts';
import { createTraceContext } from '../../trace/session/index.ts';
import type { CommandInput } from '../command/index.ts';
import { refuseDemo, rootsOf } from '../input/index.ts';
import { readStdin, writeNotice, writeOut } from '../terminal/index.ts';
import { exampleJson, exampleLines } from './destination-text.ts';
import { hookFile } from './hook-file.ts';
import { requireLastingPath } from './lasting-path.ts';
import { setUpHint, traceConfigOf } from './trace-config.ts';

export async function runHookCommand({ io }: CommandInput): Promise<void> {
  const startSender = (): void => {
    const options = { detached: true, stdio: 'ignore', env: io.env } as const;
    spawn(process.execPath, [hookFile, '--send'], options)
      .on('error', () => {})
      .unref();
  };
  await runHook(await readStdin(), { env: io.env, startSender });
}

export async function run(input: CommandInput): Promise<void> {
  const { io } = input;
  requireLastingPath(hookFile, 'clew trace install');
  const file = settingsFile(input);
  const roots = rootsOf(input);
  // Checked before anything is written: a hook with wrong settings would only fill its log.
  const config = traceConfigOf(input);
  const { destinations } = config;
  const version = await detectClientVersion(roots, io.env);
  const hooks = plannedHooks(version?.numbers);
  const command = `${shellQuote(process.execPath)} ${shellQuote(hookFile)}`;
  const settings = readSettingsFile(file);
  const after = withTraceHooks(settings.text, hooks, command, file);
  const backup = await write(input, settings, after);
  if (version === undefined) {
    const why =
      'only Stop is set up, because no client was found and old clients ignore all hooks if they do not know one of them';
    writeNotice(io.stderr, why);
  }
  if (destinations.length === 0) writeNotice(io.stderr, `no destination is set up yet; ${setUpHint(io.env)}`);
  const events = hooks.map(({ event }) => event);
  const client = version?.numbers.join('.') ?? null;
  await report(input, { file, events, isChanged: after !== settings.text, backup, client, config });
}

export async function runUninstall(input: CommandInput): Promise<void> {
  const file = settingsFile(input);
  const settings = readSettingsFile(file);
  const { text } = settings;
  const after = text === undefined ? undefined : withoutTraceHooks(text, file);
  const backup = after === undefined ? undefined : await write(input, settings, after);
  await report(input, { file, events: [], isChanged: after !== text, backup, client: null, config: undefined });
}

function settingsFile(input: CommandInput): string {
  refuseDemo(input, '`clew trace`');
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('no folder for the settings', 'name one with --root');
  return path.join(root, 'settings.json');
}

async function write({ flags }: CommandInput, settings: SettingsFile, after: string): Promise<string | undefined> {
  if (after === settings.text || flags['dry-run'] === true) return undefined;
  return writeSettingsFile(settings, after);
}

interface Installed {
  readonly file: string;
  readonly events: readonly string[];
  readonly isChanged: boolean;
  readonly backup: string | undefined;
  readonly client: string | null;
  /** Only for `install`. */
  readonly config: TraceConfig | undefined;
}

async function report({ flags, io }: CommandInput, installed: Installed): Promise<void> {
  const isDryRun = flags['dry-run'] === true;
  const { file, events, isChanged, backup, client, config } = installed;
  const redact = config === undefined ? undefined : await createTraceContext(io.env, config).loadRedact();
  if (flags.json === true) {
    const examples =
      config === undefined || redact === undefined
        ? []
        : config.destinations.map((each) => exampleJson(each, config, redact));
    const changed = isChanged && !isDryRun;
    const value = { settings: file, client, events, changed, backup: backup ?? null, examples };
    await writeOut([`${jsonText(value, 2)}\n`], io);
    return;
  }
  const examples =
    config === undefined || redact === undefined
      ? []
      : config.destinations.flatMap((each) => [...exampleLines(each, config, redact), '']);
  await writeOut(
    [
      `${sentenceOf(installed, isDryRun)}\n`,
      ...(examples.length === 0 ? [] : [neutralise(`\n${examples.join('\n')}`)]),
      ...nextStep(installed, isDryRun),
    ],
    io,
  );
}

function sentenceOf({ file, events, isChanged, backup }: Installed, isDryRun: boolean): string {
  const hooks = `hooks for ${events.join(', ')}`;
  if (!isChanged) return events.length === 0 ? `${file} has no hooks of Clew` : `${hooks} are already in ${file}`;
  if (isDryRun)
    return events.length === 0 ? `would remove the hooks of Clew from ${file}` : `would add ${hooks} to ${file}`;
  const kept = backup === undefined ? '' : `\nbackup: ${backup}`;
  return `${events.length === 0 ? `removed the hooks of Clew from ${file}` : `added ${hooks} to ${file}`}${kept}`;
}

/** The variables of this shell need not be set in the shell that starts the client. */
function nextStep({ isChanged, config }: Installed, isDryRun: boolean): readonly string[] {
  if (config === undefined || config.destinations.length === 0) return [];
  const hasContent = config.destinations.some(({ content }) => content !== 'metadata');
  const [mode, amount] = hasContent ? ['metadata', 'less'] : ['full', 'more'];
  const change = `CLEW_TRACE_CONTENT=${mode} (or no-tool-content) sends ${amount}; \`clew trace test\` tests the destination\n`;
  if (isDryRun || !isChanged) return [change];
  return [
    change,
    'new sessions with these settings in their environment are traced; `clew trace backfill` sends existing sessions\n',
  ];
}
