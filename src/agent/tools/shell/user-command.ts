// Runs a command that the user typed: not confined, because nobody but the user decides about it, with the shell, the
// folder and the output limits of the Bash tool.
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/index.ts';
import type { CallProgress, ShellReport, Workspace } from '../../contract/index.ts';
import { limits } from '../shared/index.ts';
import { isInWorkspace, leaveOrKill, returnToExistingFolder } from './bash.ts';
import { CommandOutput } from './output.ts';
import { startShell } from './shell.ts';

export interface UserCommand {
  readonly command: string;
  /** Names the file with a long output. */
  readonly id: string;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  onProgress(progress: CallProgress): void;
}

export async function runUserCommand({
  command,
  id,
  workspace,
  signal,
  onProgress,
}: UserCommand): Promise<ShellReport> {
  await returnToExistingFolder(workspace);
  const output = new CommandOutput(path.join(workspace.sessionDir, 'tool-results', `${id}.txt`));
  const startMs = Date.now();
  const launch = workspace.sandbox.launch('open', workspace);
  const shell = startShell(command, { cwd: workspace.cwd, launch, onOutput: (bytes) => output.add(bytes) });
  const report = (): void =>
    onProgress({
      kind: 'output',
      text: output.recent,
      totalLines: output.totalLines,
      elapsedMs: Date.now() - startMs,
    });
  const reporting = setInterval(report, limits.bash.progressEveryMs);
  const onAbort = (): void => shell.stop();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const { code, cwd } = await shell.exited;
    await leaveOrKill(shell, workspace, signal.aborted);
    launch.finish();
    return {
      exitCode: code,
      output: output.describe(),
      isInterrupted: signal.aborted,
      ...(signal.aborted || cwd === undefined ? {} : enter(workspace, cwd)),
    };
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return { exitCode: 127, output: 'bash was not found on this machine', isInterrupted: false };
  } finally {
    clearInterval(reporting);
    signal.removeEventListener('abort', onAbort);
    output.close();
  }
}

/** The agent stays in its folders, as after its own commands. */
function enter(workspace: Workspace, cwd: string): { readonly keptCwd?: string } {
  if (!isInWorkspace(workspace, cwd)) return { keptCwd: workspace.cwd };
  workspace.cwd = cwd;
  return {};
}
