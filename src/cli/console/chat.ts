// clew chat [PROMPT]: the interactive agent. Only the console is loaded here; the agent is loaded after the prompt is on
// the screen.
import { homedir } from 'node:os';
import { isUsed, type SessionChoice } from '../../agent/contract/index.ts';
import type { SettingsFiles } from '../../agent/settings/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { type CommandInput, countFlag, textFlag } from '../command/index.ts';
import { agentOptions, given, rootsOf } from '../input/index.ts';
import { type ConsoleOptions, runConsole } from './console.ts';
import { type AskDialog, isTrusted, trustDialog } from './dialog/index.ts';

export async function run(input: CommandInput): Promise<number> {
  const { io, words } = input;
  const { stdin, stdout, stderr } = process;
  if (!stdin.isTTY || !stdout.isTTY || io.env.TERM === 'dumb') {
    throw new UserError('chat needs a terminal', 'in a pipe or a script use `clew -p PROMPT`');
  }
  const session = await sessionChoice(input);
  if (session === undefined) return exitCodes.ok;
  const firstPrompt = words.join(' ').trim();
  const agent = runOptions(input, session);
  const { requireConnection } = await import('../../agent/require-connection.ts');
  await requireConnection(agent);
  // The settings that the user accepts are the ones that are used.
  let settings: SettingsFiles | undefined;
  return runConsole({
    io,
    stdin,
    stdout,
    stderr,
    loadAgent: async () => {
      const { openAgent } = await import('../../agent/agent.ts');
      return (options) => openAgent(options, settings === undefined ? {} : { settingsFiles: settings });
    },
    agent,
    decideTrust: async (ask) => {
      const decided = await decideTrust(agent, input.flags['trust-project'] === true, ask);
      settings = decided.settings;
      return decided.isTrusted;
    },
    ...(firstPrompt === '' ? {} : { firstPrompt }),
  });
}

async function decideTrust(
  { cwd, root, env, settingSources, settings: flagSettings }: ConsoleOptions['agent'],
  isFlagged: boolean,
  ask: AskDialog,
): Promise<{ readonly isTrusted: boolean; readonly settings?: SettingsFiles }> {
  if (isFlagged) return { isTrusted: true };
  // Nothing of the project is used, so there is nothing to ask for.
  if (!isUsed('project', settingSources) && !isUsed('local', settingSources)) return { isTrusted: false };
  const [{ acceptFolder, isFolderAccepted }, { readProjectOffer }, { readSettingsFiles }] = await Promise.all([
    import('../../agent/trust/trust.ts'),
    import('../../agent/trust/trust.ts'),
    import('../../agent/settings/settings.ts'),
  ]);
  const place = { cwd, root, env, home: homedir() };
  if (await isFolderAccepted(place)) return { isTrusted: true };
  const settings = await readSettingsFiles({ root, projectDir: cwd, env, settingSources, given: flagSettings });
  const offer = await readProjectOffer(place, settings);
  if (offer.every(({ isAskedApart }) => isAskedApart)) return { isTrusted: false, settings };
  if (!isTrusted(await ask(trustDialog(cwd, offer)))) return { isTrusted: false, settings };
  await acceptFolder(place, new Date());
  return { isTrusted: true, settings };
}

function runOptions(input: CommandInput, session: SessionChoice): ConsoleOptions['agent'] {
  const { flags, io } = input;
  const [root] = rootsOf(input);
  if (root === undefined) throw new UserError('there is no folder for the session', 'name one with --root');
  return {
    ...agentOptions(input),
    cwd: io.cwd,
    env: io.env,
    root,
    session,
    withProgressEntries: flags['progress-entries'] === true,
    ...given('maxTurns', countFlag(flags, 'max-turns')),
  };
}

/** `undefined` if the user chose none. */
async function sessionChoice(input: CommandInput): Promise<SessionChoice | undefined> {
  const { flags } = input;
  const id = textFlag(flags, 'session-id');
  if (id !== undefined && !isUuid(id)) throw new UserError(`--session-id takes a UUID, not "${id}"`, 'leave it out');
  const own = id === undefined ? {} : { sessionId: id };
  const isFork = flags['fork-session'] === true;
  const isResume = flags.resume !== undefined;
  if (flags.continue === true && isResume)
    throw new UserError('--continue and --resume cannot be combined', 'use one of them');
  if (flags.continue !== true && !isResume) {
    if (isFork) throw new UserError('--fork-session needs a session to copy', 'add --continue or --resume');
    return { kind: 'new', ...own };
  }
  if (id !== undefined && !isFork) {
    throw new UserError('--session-id names a new session', 'add --fork-session to continue in a copy');
  }
  const fork = isFork ? { fork: own } : {};
  if (flags.continue === true) return { kind: 'continue', ...fork };
  const session = textFlag(flags, 'resume') ?? (await choose(input));
  return session === undefined ? undefined : { kind: 'resume', session, ...fork };
}

async function choose(input: CommandInput): Promise<string | undefined> {
  const { pickSession } = await import('../picker/picker.ts');
  return pickSession(input, process);
}
