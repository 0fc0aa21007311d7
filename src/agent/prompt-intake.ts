// What a person typed → the lines it becomes: hooks may refuse or add to it, commands are expanded, mentioned files are
// attached. What is left out or cut is a notice.
import { homedir } from 'node:os';
import type { JsonObject } from '../base/json.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { Command } from './context/command.ts';
import { expandPrompt } from './context/prompt.ts';
import type { EmitEvent } from './event.ts';
import { runInlineShell } from './inline-shell.ts';
import type { TurnPrompt } from './loop.ts';
import type { Judge } from './permission/judge.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { AskConsent } from './person.ts';
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
  readonly consent: AskConsent;
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
    runShell: (command, allowed) => runInlineShell(command, allowed, parts, signal),
    mayRead: (file, realFile) => mayRead(file, realFile, parts, signal),
  });
  for (const { file, seen } of expanded.files) workspace.files.remember(file, seen);
  for (const text of expanded.notes) await parts.emit({ type: 'notice', level: 'info', text });
  return { prompts: [...expanded.lines, ...context] };
}

/** A mention is a Read by the person's hand: what a rule denies stays closed, and what it asks for is asked. */
async function mayRead(file: string, realFile: string, parts: IntakeParts, signal: AbortSignal): Promise<boolean> {
  const { judge, mode, workspace, consent } = parts;
  const call = { id: 'prompt', name: 'Read', input: { file_path: file } };
  const decision = judge.judge(call, { mode, cwd: workspace.cwd, isReadOnly: true });
  if (decision.kind !== 'ask') return decision.kind === 'allow';
  const wish = { title: `Attach ${realFile}?`, details: [decision.why], canKeep: false };
  return (await consent(wish, signal)).isGiven;
}
