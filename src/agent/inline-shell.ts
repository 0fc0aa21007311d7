// Runs a shell command that a command or skill contains as !`…` and returns its output, or `undefined` if it may not
// run. The rules are those of a Bash call, but the user is not asked.

import type { PermissionMode } from './contract/permission-mode.ts';
import type { Workspace } from './contract/tool.ts';
import type { Judge } from './permission/judge.ts';

const longestMs = 120_000;
const maxBytes = 1 << 20;

export interface InlineParts {
  readonly judge: Judge;
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
}

/** `allowed`: the tools that the file wants to use, if the caller may grant them. */
export async function runInlineShell(
  command: string,
  allowed: readonly string[],
  { judge, mode, workspace }: InlineParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const own = allowed.map((text) => ({ kind: 'allow', text, source: 'the command' }) as const);
  const { cwd } = workspace;
  const call = { id: 'prompt', name: 'Bash', input: { command } };
  const decision = judge.withRules(own).judge(call, { mode, cwd, isReadOnly: false });
  if (decision.kind !== 'allow') return undefined;
  const launch = workspace.sandbox.launch(decision.confinement ?? 'open', workspace);
  const { startShell } = await import('./tools/shell/shell.ts');
  const output: Buffer[] = [];
  let size = 0;
  const take = (bytes: Buffer): void => {
    if (size < maxBytes) output.push(bytes);
    size += bytes.length;
  };
  const shell = startShell(command, { cwd, launch, onOutput: take });
  const stop = () => shell.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const timer = setTimeout(stop, longestMs);
  await shell.exited;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  shell.kill();
  // Wait until no process is left: nothing may be created after `finish` has looked.
  if (decision.confinement !== undefined && decision.confinement !== 'open') await shell.gone;
  launch.finish();
  return Buffer.concat(output).toString('utf8');
}
