// A prompt of the user → the lines that are written: hooks may refuse it or add to it, commands are expanded, mentioned
// files are attached. A notice reports what is left out or cut.
import { homedir } from 'node:os';
import type { JsonObject } from '../base/json/index.ts';
import {
  type AskConsent,
  emptyVerdict,
  type HookVerdict,
  type PermissionMode,
  type Workspace,
} from './contract/index.ts';
import type { AgentContext, TurnPrompt } from './loop/index.ts';
import type { Judge } from './permission/index.ts';
import { type Command, expandPrompt, readCommand } from './prompt/index.ts';
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
  const expansion = await askAboutCommand(content, commands, context, signal);
  const refused = expansion.blocked ?? expansion.stop;
  if (refused !== undefined) return { blocked: refused };
  const added = [...verdict.context, ...expansion.context].map((text) => ({ content: text, isMeta: true }));
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

/** Before a command of the user's files is expanded. */
async function askAboutCommand(
  content: string | readonly JsonObject[],
  commands: readonly Command[],
  { hooks }: IntakeContext,
  signal: AbortSignal,
): Promise<HookVerdict> {
  const typed = typeof content === 'string' ? readCommand(content, commands) : undefined;
  if (typed === undefined) return emptyVerdict;
  const { command, args } = typed;
  const fields = {
    expansion_type: 'slash_command',
    command_name: command.name,
    command_args: args,
    command_source: command.scope === 'project' ? 'projectSettings' : 'userSettings',
    prompt: promptText(content),
  };
  return hooks.run('UserPromptExpansion', command.name, fields, signal);
}

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
