// Every command with its flags, in the order of the help. Help and completion scripts are made from this table, so
// that asking for them loads no command.
import type { CommandRow, Flag } from './command.ts';

const root: Flag = {
  name: '--root',
  value: 'DIR',
  summary: 'read sessions below DIR instead of ~/.claude (repeatable)',
  isRepeatable: true,
};
const json: Flag = { name: '--json', summary: 'print JSON (shapes in docs/json.md)' };

export const globalFlags: readonly Flag[] = [
  { name: '--no-color', summary: 'no colours' },
  { name: '--debug', summary: 'show the stack of an error' },
];

export const commands: readonly CommandRow[] = [
  {
    name: 'ls',
    summary: 'list sessions, newest first',
    flags: [
      { name: '--project', value: 'P', summary: 'only sessions whose folder is, or whose path contains, P' },
      json,
      root,
      { name: '--demo', summary: 'list the bundled demo sessions' },
      { name: '--or-demo', summary: 'list the demo sessions where there are no others', isHidden: true },
      { name: '--ids', summary: 'print session ids only', isHidden: true },
    ],
    examples: ['clew ls', 'clew ls --project lighthouse', 'clew ls --json | jq ".[0].title"'],
    load: () => import('./ls.ts'),
  },
  {
    name: 'show',
    argument: 'SESSION',
    summary: 'read a session: prompts, answers, tool calls',
    flags: [
      { name: '--turn', value: 'N', summary: 'only turn N' },
      { name: '--branch', value: 'N', summary: 'read branch N instead of the active one' },
      { name: '--full', summary: 'everything: thinking, tool input and output, injected lines' },
      json,
      root,
    ],
    examples: ['clew show 3f2b8c1e', 'clew show 3f2b8c1e --turn 4 --full', 'clew show ./session.jsonl --json'],
    load: () => import('./show.ts'),
  },
  {
    name: 'messages',
    argument: 'SESSION',
    summary: 'print exactly what Claude Code sends when it resumes the session',
    flags: [{ name: '--prompt', value: 'TEXT', summary: 'the prompt to resume with' }, root],
    examples: ['clew messages 3f2b8c1e --prompt "go on"'],
    load: () => import('./messages.ts'),
  },
  {
    name: 'cat',
    argument: 'SESSION',
    summary: 'print the transcript, byte for byte, through parse and serialise',
    flags: [root],
    examples: ['clew cat 3f2b8c1e > copy.jsonl'],
    load: () => import('./cat.ts'),
  },
  {
    name: 'completion',
    argument: 'SHELL',
    summary: 'print a completion script for bash, zsh or fish',
    flags: [],
    examples: ['source <(clew completion bash)', 'clew completion fish | source'],
    load: () => import('./completion-command.ts'),
  },
];
