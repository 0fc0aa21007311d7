// clew trace install and uninstall: adds our hooks to the client's settings.json or removes them, with a backup, and only
// for events that the installed client knows.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { neutralise, shellQuote } from '../../base/text/index.ts';
import { readSettingsFile, retryChanged, swapSettingsFile, withSettingsLock } from '../../settings/index.ts';
import { stateFolder, writeDurably } from '../../store/index.ts';
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
  const { backup, isChanged } = await write(input, file, (text) => withTraceHooks(text, hooks, command, file));
  if (version === undefined) {
    const why =
      'only Stop is set up, because no client was found and old clients ignore all hooks if they do not know one of them';
    writeNotice(io.stderr, why);
  }
  if (destinations.length === 0) writeNotice(io.stderr, `no destination is set up yet; ${setUpHint(io.env)}`);
  const events = hooks.map(({ event }) => event);
  const client = version?.numbers.join('.') ?? null;
  await report(input, { file, events, isChanged, backup, client, config });
}

export async function runUninstall(input: CommandInput): Promise<void> {
  const file = settingsFile(input);
  const edit = (text: string | undefined) => (text === undefined ? undefined : withoutTraceHooks(text, file));
  const written = await write(input, file, edit);
  await report(input, { file, events: [], ...written, client: null, config: undefined });
}

function settingsFile(input: CommandInput): string {
  refuseDemo(input, '`clew trace`');
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('no folder for the settings', 'name one with --root');
  return path.join(root, 'settings.json');
}

interface Written {
  readonly isChanged: boolean;
  readonly backup: string | undefined;
}

type Edit = (text: string | undefined) => string | undefined;

/** Without a change neither the lock nor Clew's own folder is needed. */
async function write({ flags, io }: CommandInput, file: string, edit: Edit): Promise<Written> {
  const text = readSettingsFile(file);
  const isChanged = edit(text) !== text;
  if (!isChanged || flags['dry-run'] === true) return { isChanged, backup: undefined };
  const state = stateFolder(io.env);
  return withSettingsLock(state, async () => {
    // Before the change; its name is not that of another one, because the lock allows one change at a time.
    const backup = `${file}.backup-${new Date().toISOString().replace(/[:.]/g, '-')}`;
    const before = await retryChanged(file, () => {
      const now = readSettingsFile(file);
      if (now !== undefined) writeDurably(backup, now);
      return swapSettingsFile({ file, before: now, after: edit(now), state }) ? { text: now } : undefined;
    });
    return { isChanged, backup: before.text === undefined ? undefined : backup };
  });
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
