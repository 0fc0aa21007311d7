// The Bash tool: runs a command and returns its output. Each call starts a new shell, but the working directory carries
// over. A command never outlives an interrupt, its timeout or this process.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { isWithin, realPath } from '../../../base/files/index.ts';
import {
  type CallContext,
  type Confinement,
  failedOutcome,
  type Tool,
  type ToolOutcome,
  type Workspace,
} from '../../contract/index.ts';
import { defineTool, limits, ToolFailure } from '../shared/index.ts';
import { ShellTasks } from './background.ts';
import { addNotes, describeExit, interruptedText } from './outcome.ts';
import { CommandOutput } from './output.ts';
import { type Shell, startShell } from './shell.ts';

const schema = z.object({
  command: z
    .string()
    .max(
      limits.bash.commandChars,
      `is longer than ${limits.bash.commandChars} characters; write a script file and run that`,
    )
    .refine((text) => !text.includes('\0'), 'holds a NUL character')
    .describe('The command to run'),
  timeout: z
    .number()
    .optional()
    .describe(
      `Milliseconds until it is ended; ${limits.bash.defaultTimeoutMs} if not given, at most ${limits.bash.maxTimeoutMs}`,
    ),
  description: z.string().optional().describe('What the command does, in five to ten words'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Go on at once; BashOutput shows what it prints, KillShell ends it'),
  dangerouslyDisableSandbox: z
    .boolean()
    .optional()
    .describe('Only after a command failed because of the sandbox: asks the user to run it outside'),
});

type BashInput = z.infer<typeof schema>;

export const bashTool: Tool = defineTool({
  name: 'Bash',
  description: [
    'Runs a command with bash and shows what it printed (standard output and errors together).',
    '- Each call is a new shell: variables and functions are gone after it, but the folder it ended in (cd) stays. Quote paths with spaces.',
    `- It is ended after ${limits.bash.defaultTimeoutMs / 1000} s unless timeout says otherwise. It has no terminal and no input: nothing interactive.`,
    `- Of more than ${limits.bash.outputChars} characters both ends are shown; the whole is in a file that the result names.`,
    '- For servers and long builds use run_in_background, not &.',
    '- Commands that the user has not allowed run in a sandbox: without network, and without writing unless edits are accepted. If one fails for that reason, the result says so.',
    '- To read, search and change files use Read, Grep, Glob, Edit and Write instead of cat, grep, find, sed and echo.',
  ].join('\n'),
  schema,
  isReadOnly: false,
  run: async (input, context) => {
    const note = await returnToExistingFolder(context.workspace);
    return input.run_in_background === true ? runInBackground(input, context) : runInForeground(input, context, note);
  },
});

/** As in the client, a timeout of zero or less means the default, and a longer one than the maximum means the maximum. */
function timeoutOf({ timeout }: BashInput): number {
  return timeout === undefined || timeout <= 0
    ? limits.bash.defaultTimeoutMs
    : Math.min(timeout, limits.bash.maxTimeoutMs);
}

/** The working directory of the last command may have been removed since. */
export async function returnToExistingFolder(workspace: Workspace): Promise<string | undefined> {
  const isThere = await stat(workspace.cwd).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isThere) return undefined;
  const gone = workspace.cwd;
  workspace.cwd = workspace.projectDir;
  return `The working directory ${gone} is gone: this ran in ${workspace.projectDir}`;
}

/** The shell may stay in the project and the additional folders; elsewhere, rules and sandbox would not fit. */
function moveTo(workspace: Workspace, folder: string): string | undefined {
  if (workspace.isCwdFixed === true) return undefined;
  if (isInWorkspace(workspace, folder)) {
    workspace.cwd = folder;
    return undefined;
  }
  workspace.cwd = workspace.projectDir;
  return `Shell cwd was reset to ${workspace.projectDir}`;
}

function runInBackground({ command, description, timeout }: BashInput, context: CallContext): ToolOutcome {
  const { workspace, confinement, isApproved, callId } = context;
  const launch = workspace.sandbox.launch(confinement, { ...workspace, isApproved });
  const timeoutMs = timeout ?? context.backgroundTimeoutMs;
  const { id, outputFile } = workspace.background.start(command, {
    cwd: workspace.cwd,
    launch,
    callId,
    ...(description === undefined ? {} : { description }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return {
    content: `Command running in background with ID: ${id}. Output is being written to: ${outputFile}. You will be notified when it completes. To check interim output, use BashOutput or Read on that file path; KillShell ends it.`,
    isError: false,
    stored: {
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      backgroundTaskId: id,
    },
  };
}

async function runInForeground(
  input: BashInput,
  context: CallContext,
  cwdNote: string | undefined,
): Promise<ToolOutcome> {
  const { workspace, signal } = context;
  if (signal.aborted) return failedOutcome(interruptedText);
  const file = path.join(
    workspace.sessionDir,
    'tool-results',
    `${context.callId.replace(/[^\w-]/g, '_').slice(0, 100)}.txt`,
  );
  const output = new CommandOutput(file);
  const reporter = makeReporter(context, output);
  const { confinement: wanted, isApproved } = context;
  const launch = workspace.sandbox.launch(wanted, { ...workspace, isApproved });
  const { confinement } = launch;
  const isConfined = launch.prefix.length > 0 && confinement !== 'open';
  const shell = startShell(input.command, {
    cwd: workspace.cwd,
    launch,
    onOutput: (bytes) => {
      output.add(bytes);
      reporter.report();
    },
  });
  const timeoutMs = timeoutOf(input);
  let why: 'interrupted' | 'timeout' | undefined;
  const stopBecause = (reason: 'interrupted' | 'timeout'): void => {
    why ??= reason;
    shell.stop();
  };
  const onAbort = (): void => stopBecause('interrupted');
  const timer = setTimeout(() => stopBecause('timeout'), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const exit = await shell.exited;
    const moved = exit.cwd === undefined || why !== undefined ? undefined : moveTo(workspace, exit.cwd);
    await leaveOrKill(shell, workspace, why !== undefined || isConfined);
    const notes = [
      ...launch.finish(),
      ...(isConfined && exit.code !== 0 ? explainSandbox(output.text, confinement, workspace) : []),
    ];
    for (const note of notes) output.add(Buffer.from(`${output.text.endsWith('\n') ? '' : '\n'}${note}\n`));
    const cwdNotes = [cwdNote, moved].filter((note) => note !== undefined);
    const outcome = await describeExit({ input, code: exit.code, output, file, why, timeoutMs });
    return { ...addNotes(outcome, cwdNotes), isSandboxed: isConfined };
  } catch (error) {
    throw systemErrorCode(error) === 'ENOENT' ? new ToolFailure('bash was not found on this machine.') : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    reporter.stop();
    output.close();
  }
}

export function isInWorkspace({ projectDir, extraDirs }: Workspace, folder: string): boolean {
  return [projectDir, ...extraDirs].some((dir) => isWithin(realPath(dir), realPath(folder)));
}

const sandboxSigns =
  /Read-only file system|Permission denied|Operation not permitted|not a git repository|could not resolve|name resolution|network is unreachable|EROFS|EACCES|EPERM|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|connection refused/i;
const missingSigns = /No such file or directory|cannot access|not found|ENOENT/i;

/** Added if the sandbox may be the reason. A missing file counts only outside the project. */
function explainSandbox(text: string, confinement: Confinement, workspace: Workspace): readonly string[] {
  const isAway = (line: string): boolean =>
    missingSigns.test(line) && /(?:^|[\s'"`:(])[~/][\w.-]/.test(line) && !line.includes(workspace.projectDir);
  if (!sandboxSigns.test(text) && !text.split('\n').some(isAway)) return [];
  const writes = confinement === 'workspace' ? 'only the project can be changed' : 'nothing can be changed';
  const network = confinement === 'workspace' ? 'only allowed domains can be reached' : 'there is no network';
  return [
    `(This ran in a sandbox: ${writes}, ${network}, and of the disk only programs and the project are there, without files that may hold credentials. If it failed for that reason and is needed, call Bash again with dangerouslyDisableSandbox: true; the user is asked.)`,
  ];
}

/** Processes started with `&` live as long as the session, as in a terminal. */
export async function leaveOrKill(shell: Shell, { background }: Workspace, isStopped: boolean): Promise<void> {
  if (!isStopped && background instanceof ShellTasks) return background.adopt(shell);
  shell.kill();
  await shell.gone;
}

interface Reporter {
  report(): void;
  stop(): void;
}

/** Reports progress a few times a second, however fast the command prints, and always reports the last output. */
function makeReporter({ progress }: CallContext, output: CommandOutput): Reporter {
  const startMs = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let isPending = false;
  const report = (): void => {
    progress({ kind: 'output', text: output.recent, totalLines: output.totalLines, elapsedMs: Date.now() - startMs });
    isPending = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) report();
    }, limits.bash.progressEveryMs);
  };
  return {
    report: () => {
      if (timer === undefined) report();
      else isPending = true;
    },
    stop: () => clearTimeout(timer),
  };
}
