// What a person typed → the lines it becomes: hooks may refuse or add to it, commands are expanded, mentioned files are
// attached. What is left out or cut is a notice.
import { homedir } from 'node:os';
import type { JsonObject } from '../base/json.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { Command } from './context/command.ts';
import { expandPrompt } from './context/prompt.ts';
import type { EmitEvent } from './event.ts';
import type { TurnPrompt } from './loop.ts';
import { type Judge, makeJudge } from './permission/judge.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { Workspace } from './tool.ts';
import { promptText } from './turn-queue.ts';

export interface IntakeParts {
  readonly hooks: AgentHooks;
  readonly commands: readonly Command[];
  readonly judge: Judge;
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly emit: EmitEvent;
}

export type Intake = { readonly prompts: readonly TurnPrompt[] } | { readonly blocked: string };

export async function takePrompt(
  content: string | readonly JsonObject[],
  parts: IntakeParts,
  signal: AbortSignal,
): Promise<Intake> {
  const verdict = await parts.hooks.run('UserPromptSubmit', '', { prompt: promptText(content) }, signal);
  const blocked = verdict.blocked ?? verdict.stop;
  if (blocked !== undefined) return { blocked };
  const context = verdict.context.map((text) => ({ content: text, isMeta: true }));
  if (typeof content !== 'string') return { prompts: [{ content, isMeta: false }, ...context] };
  const { workspace } = parts;
  const expanded = await expandPrompt(content, {
    cwd: workspace.cwd,
    projectDir: workspace.projectDir,
    extraDirs: workspace.extraDirs,
    home: homedir(),
    commands: parts.commands,
    sessionId: parts.sessionId,
    runShell: (command, allowed) => runShell(command, allowed, parts, signal),
  });
  for (const { file, seen } of expanded.files) workspace.files.remember(file, seen);
  for (const text of expanded.notes) await parts.emit({ type: 'notice', level: 'info', text });
  return { prompts: [...expanded.lines, ...context] };
}

/** Only where a rule of the user, or of the command that the user called, allows it: nobody is asked in between. */
async function runShell(
  command: string,
  allowed: readonly string[],
  { judge, mode, workspace }: IntakeParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const own = allowed.map((text) => ({ kind: 'allow', text, source: 'the command' }) as const);
  const { projectDir, extraDirs, cwd, env } = workspace;
  const wider = makeJudge({ projectDir, extraDirs, home: homedir(), rules: [...judge.rules, ...own] });
  const call = { id: 'prompt', name: 'Bash', input: { command } };
  if (wider.judge(call, { mode, cwd, isReadOnly: false }).kind !== 'allow') return undefined;
  const { startShell } = await import('./tools/shell.ts');
  const output: Buffer[] = [];
  const shell = startShell(command, { cwd, env, onOutput: (bytes) => void output.push(bytes) });
  const stop = () => shell.stop();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, longestShellMs);
  await shell.exited;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  shell.kill();
  return Buffer.concat(output).toString('utf8');
}

const longestShellMs = 120_000;
