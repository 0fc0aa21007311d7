// A prompt of the user → the lines that are written: hooks may refuse it or add to it, commands are expanded, mentioned
// files are attached. A notice reports what is left out or cut.
import { homedir } from 'node:os';
import type { JsonObject } from '../base/json/json.ts';
import type { AskConsent } from './contract/tool.ts';
import { runInlineShell } from './inline-shell.ts';
import type { AgentContext } from './loop/context.ts';
import type { TurnPrompt } from './loop/loop.ts';
import type { Judge } from './permission/judge.ts';
import type { Command } from './prompt/command.ts';
import { expandPrompt } from './prompt/user-prompt.ts';
import { promptText } from './turn-queue.ts';

type IntakeContext = Pick<AgentContext, 'hooks' | 'mode' | 'workspace' | 'session' | 'emit'>;

export type Intake = { readonly prompts: readonly TurnPrompt[] } | { readonly blocked: string };

export async function takePrompt(
  content: string | readonly JsonObject[],
  context: IntakeContext,
  { commands, judge }: { readonly commands: readonly Command[]; readonly judge: Judge },
  consent: AskConsent,
  signal: AbortSignal,
): Promise<Intake> {
  const verdict = await context.hooks.run('UserPromptSubmit', '', { prompt: promptText(content) }, signal);
  const blocked = verdict.blocked ?? verdict.stop;
  if (blocked !== undefined) return { blocked };
  const added = verdict.context.map((text) => ({ content: text, isMeta: true }));
  if (typeof content !== 'string') return { prompts: [{ content, isMeta: false }, ...added] };
  const mode = context.mode();
  const workspace = context.workspace();
  const { cwd, projectDir, extraDirs } = workspace;
  /** A mention is a Read call by the user: deny rules hold, and ask rules ask. */
  const mayRead = async (file: string, realFile: string): Promise<boolean> => {
    const call = { id: 'prompt', name: 'Read', input: { file_path: file } };
    const decision = judge.judge(call, { mode, cwd: workspace.cwd, isReadOnly: true });
    if (decision.kind !== 'ask') return decision.kind === 'allow';
    const wish = { title: `Attach ${realFile}?`, details: [decision.why], canKeep: false };
    return (await consent(wish, signal)).isGiven;
  };
  const expanded = await expandPrompt(content, {
    cwd,
    projectDir,
    extraDirs,
    home: homedir(),
    commands,
    sessionId: context.session().sessionId,
    runShell: (command, allowed) => runInlineShell(command, allowed, { judge, mode, workspace }, signal),
    mayRead,
  });
  for (const { file, seen } of expanded.files) workspace.files.remember(file, seen);
  for (const text of expanded.notes) await context.emit({ type: 'notice', level: 'info', text });
  return { prompts: [...expanded.lines, ...added] };
}
