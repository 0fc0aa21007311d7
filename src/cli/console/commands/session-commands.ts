// The `/commands` about sessions: resume, rewind, rename, export.
import type { RewindPoint } from '../../../agent/contract/index.ts';
import { counted, formatAge, formatBytes, oneLine } from '../../../base/text/index.ts';
import { openOrCopy } from '../dialog/index.ts';
import { type CommandContext, choose } from './command.ts';

export async function rename({ agent, argument, say }: CommandContext): Promise<void> {
  if (argument === '') return say({ kind: 'notice', level: 'warn', text: 'no title given; use /rename TITLE' });
  await agent.rename(argument);
  say({ kind: 'note', text: `the title is now “${oneLine(argument, 80)}”` });
}

export async function resume({ agent, argument, ask, say, pickSession }: CommandContext): Promise<void> {
  const session = argument === '' ? await pickSession() : argument;
  if (session === undefined) return;
  if (session === agent.state.file) return say({ kind: 'note', text: 'this session is open already' });
  await openOrCopy({ kind: 'resume', session }, (choice) => agent.switchTo(choice), ask);
}

const rewindWays = ['both', 'chat', 'files'] as const;

export async function rewind(context: CommandContext): Promise<void> {
  const { agent, ask, say, setPrompt, nowMs } = context;
  const points = [...(await agent.rewindPoints())].reverse();
  if (points.length === 0)
    return say({ kind: 'notice', level: 'info', text: 'there are no earlier prompts to rewind to' });
  const title = 'Rewind to before which prompt?';
  const index = await choose(ask, { title, choices: points.map((point) => pointChoice(point, nowMs)) });
  const point = index === undefined ? undefined : points[index];
  if (point === undefined) return;
  const files = counted(point.changedFiles.length, 'file');
  const choices = [
    { label: 'Chat and files', hint: `${files} changed since` },
    { label: 'Only the chat' },
    { label: 'Only the files' },
  ];
  const way = await choose(ask, {
    title: 'What should be rewound?',
    choices,
    selected: point.changedFiles.length === 0 ? 1 : 0,
  });
  const what = way === undefined ? undefined : rewindWays[way];
  if (what === undefined) return;
  const report = await agent.rewind(point, what);
  const outcome = [
    what === 'files' ? 'the chat is unchanged' : 'the chat is rewound to before that prompt',
    ...(what === 'chat'
      ? []
      : [`${counted(report.restored.length, 'file')} restored, ${report.removed.length} removed`]),
  ];
  say({ kind: 'note', text: outcome.join('; ') });
  for (const problem of report.problems) say({ kind: 'notice', level: 'warn', text: problem });
  if (what !== 'files') setPrompt(report.prompt);
}

function pointChoice({ prompt, at, changedFiles }: RewindPoint, nowMs: number): { label: string; hint: string } {
  const age = formatAge(at.getTime(), nowMs);
  const files = changedFiles.length === 0 ? '' : ` · ${counted(changedFiles.length, 'file')} changed`;
  return { label: oneLine(prompt, 60), hint: `${age}${files}` };
}

/** Terminals may refuse more. */
const usualClipboardBytes = 74_994;

export async function exportSession(context: CommandContext): Promise<void> {
  const { agent, argument, ask, runProgram, collect, copy, say } = context;
  const name = `clew-${agent.state.sessionId.slice(0, 8)}.md`;
  const way =
    argument !== ''
      ? 0
      : await choose(ask, {
          title: 'Export the session as Markdown',
          choices: [
            { label: `Write ${name}`, hint: 'in the working directory' },
            { label: 'Copy to the clipboard', hint: 'if the terminal supports it' },
          ],
        });
  if (way === 0) return runProgram('export', [agent.state.file], { output: argument === '' ? name : argument });
  if (way !== 1) return;
  const text = await collect('export', [agent.state.file], {});
  const bytes = Buffer.byteLength(text);
  copy(text);
  const doubt = bytes > usualClipboardBytes ? '; many terminals take less, so write a file if it is missing' : '';
  say({ kind: 'note', text: `sent ${formatBytes(bytes)} to the clipboard of the terminal${doubt}` });
}
