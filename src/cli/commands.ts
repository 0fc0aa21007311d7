// Every command with its flags, in the order of the help. Help and completion scripts are made from this table, so
// that asking for them loads no command.
import type { CommandRow, Flag } from './command.ts';

const root: Flag = {
  name: '--root',
  value: 'DIR',
  summary: 'read sessions below DIR instead of ~/.claude (repeatable)',
  isRepeatable: true,
};
const demo: Flag = { name: '--demo', summary: 'read the bundled demo sessions' };
const json: Flag = { name: '--json', summary: 'print JSON (shapes in docs/json.md)' };

export const globalFlags: readonly Flag[] = [
  { name: '--no-color', summary: 'print without colours' },
  { name: '--debug', summary: 'show where in the program an error arose' },
];

export const commands: readonly CommandRow[] = [
  {
    name: 'ls',
    summary: 'list sessions, newest first',
    flags: [
      { name: '--project', value: 'P', summary: 'only sessions of folder P, or of folders whose path contains P' },
      json,
      root,
      demo,
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
      { name: '--turn', value: 'N', summary: 'show turn N only' },
      { name: '--branch', value: 'N', summary: 'show branch N instead of the active one' },
      { name: '--full', summary: 'also thinking, tool input and output, and injected text' },
      json,
      root,
      demo,
    ],
    examples: ['clew show 3f2b8c1e', 'clew show 3f2b8c1e --turn 4 --full', 'clew show ./session.jsonl --json'],
    load: () => import('./show.ts'),
  },
  {
    name: 'messages',
    argument: 'SESSION',
    summary: 'print what Claude Code sends when it resumes the session',
    flags: [{ name: '--prompt', value: 'TEXT', summary: 'the prompt to resume with' }, root, demo],
    examples: ['clew messages 3f2b8c1e --prompt "go on"'],
    load: () => import('./messages.ts'),
  },
  {
    name: 'cat',
    argument: 'SESSION',
    summary: 'print the transcript byte for byte, read and written again',
    flags: [root, demo],
    examples: ['clew cat 3f2b8c1e > copy.jsonl'],
    load: () => import('./cat.ts'),
  },
  {
    name: 'find',
    argument: 'QUERY...',
    summary: 'find what was said, thought, called or put out in any session',
    flags: [
      { name: '--project', value: 'P', summary: 'only sessions of folder P, or of folders whose path contains P' },
      { name: '--since', value: 'TIME', summary: 'not before TIME: 2026-03-01, today, yesterday, 12h, 7d, 2w' },
      { name: '--until', value: 'TIME', summary: 'not after TIME' },
      { name: '--role', value: 'user|assistant', summary: 'only what you typed, or only what the model wrote' },
      { name: '--tool', value: 'NAME', summary: 'only input and output of this tool' },
      {
        name: '--file',
        value: 'FILE',
        summary: 'only sessions that touched this file: path, end of a path, or pattern',
      },
      { name: '--session', value: 'SESSION', summary: 'only this session' },
      { name: '--exact', summary: 'the text as it is, parts of words and punctuation included' },
      { name: '--regex', summary: 'a regular expression, as JavaScript writes them' },
      { name: '-i', summary: 'ignore case with --exact and --regex; words always do' },
      { name: '--limit', value: 'N', summary: 'show N hits instead of 20' },
      json,
      root,
      demo,
    ],
    examples: [
      'clew find slugify umlaut',
      'clew find \'"exit code 1" -eslint\' --since 7d',
      "clew find 'migrat*' --tool Bash --file src/db.ts",
      "clew find --exact 'foo(bar' --json",
    ],
    load: () => import('./find.ts'),
  },
  {
    name: 'index',
    summary: 'bring the index up to date; every command that needs it does so by itself',
    flags: [json, root, demo],
    examples: ['clew index', 'clew index --json'],
    load: () => import('./index-command.ts'),
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
