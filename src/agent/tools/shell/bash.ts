// The Bash tool: runs a command and returns its output. Each call starts a new shell, but the working directory carries
// over. A command never outlives an interrupt, its timeout or this process.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { isWithin, realPath } from '../../../base/files/index.ts';
import { formatDuration } from '../../../base/text/index.ts';
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
import { CommandOutput } from './output.ts';
import { type Shell, type ShellExit, startShell } from './shell.ts';

const schema = z.object({
  command: z
    .string()
    .min(1, 'is empty')
    .max(
      limits.bash.commandChars,
      `is longer than ${limits.bash.commandChars} characters; write a script file and run that`,
    )
    .refine((text) => !text.includes('\0'), 'holds a NUL character')
    .describe('The command to run'),
  timeout: z
    .number()
    .min(1)
    .max(limits.bash.maxTimeoutMs)
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
    await returnToExistingFolder(context.workspace);
    return input.run_in_background === true ? runInBackground(input, context) : runInForeground(input, context);
  },
});

/** The working directory of the last command may have been removed since. */
async function returnToExistingFolder(workspace: Workspace): Promise<void> {
  const isThere = await stat(workspace.cwd).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isThere) workspace.cwd = workspace.projectDir;
}

function runInBackground({ command }: BashInput, { workspace, confinement, isApproved }: CallContext): ToolOutcome {
  const launch = workspace.sandbox.launch(confinement, { ...workspace, isApproved });
  const { id, outputFile } = workspace.background.start(command, { cwd: workspace.cwd, launch });
  return {
    content: `Command running in background with ID: ${id}. Output is being written to: ${outputFile}. Use BashOutput to see what is new, KillShell to end it.`,
    isError: false,
    stored: { stdout: '', stderr: '', interrupted: false, isImage: false, backgroundTaskId: id },
  };
}

async function runInForeground(input: BashInput, context: CallContext): Promise<ToolOutcome> {
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
  const timeoutMs = input.timeout ?? limits.bash.defaultTimeoutMs;
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
    if (exit.cwd !== undefined && why === undefined && (!isConfined || isInside(workspace, exit.cwd)))
      workspace.cwd = exit.cwd;
    await leaveOrKill(shell, workspace, why !== undefined || isConfined);
    const notes = [
      ...launch.finish(),
      ...(isConfined && exit.code !== 0 ? explainSandbox(output.text, confinement, workspace) : []),
    ];
    for (const note of notes) output.add(Buffer.from(`${output.text.endsWith('\n') ? '' : '\n'}${note}\n`));
    return describeExit(input.command, exit, output, file, why, timeoutMs);
  } catch (error) {
    throw systemErrorCode(error) === 'ENOENT' ? new ToolFailure('bash was not found on this machine.') : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    reporter.stop();
    output.close();
  }
}

/** A confined command can report any folder. */
function isInside({ projectDir, extraDirs }: Workspace, folder: string): boolean {
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
async function leaveOrKill(shell: Shell, { background }: Workspace, isStopped: boolean): Promise<void> {
  if (!isStopped && background instanceof ShellTasks) return background.adopt(shell);
  shell.kill();
  await shell.gone;
}

const interruptedText = '[Request interrupted by user for tool use]';

function describeExit(
  command: string,
  { code }: ShellExit,
  output: CommandOutput,
  file: string,
  why: 'interrupted' | 'timeout' | undefined,
  timeoutMs: number,
): ToolOutcome {
  const meaning = why === undefined && code !== 0 ? explainExit(command, code) : undefined;
  if (why !== undefined || (code !== 0 && meaning === undefined)) {
    const said = why === 'interrupted' ? interruptedText : `Command timed out after ${formatDuration(timeoutMs)}`;
    return failedOutcome(
      [`Exit code ${code}`, why === undefined ? '' : said, output.describe()].filter((line) => line !== '').join('\n'),
    );
  }
  return {
    content: output.describe() || meaning || '(no output)',
    isError: false,
    stored: {
      stdout: output.text,
      stderr: '',
      interrupted: false,
      isImage: false,
      ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
      ...(output.isLong ? { persistedOutputPath: file, persistedOutputSize: output.totalBytes } : {}),
    },
  };
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

const meanings: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  egrep: 'No matches found',
  fgrep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  test: 'Condition is false',
  '[': 'Condition is false',
  '[[': 'Condition is false',
};

/** Explains exit code 1 of the last command, which decides the exit code of the line. */
function explainExit(command: string, code: number): string | undefined {
  if (code !== 1) return undefined;
  const last =
    command
      .trim()
      .split(/\|\||&&|[|;\n]/)
      .at(-1)
      ?.trim() ?? '';
  const name = last.split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? '';
  return Object.hasOwn(meanings, name) ? meanings[name] : undefined;
}
