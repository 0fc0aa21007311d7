// The rows of the commands that trace sessions, run the agent or serve a recorded model; part of the table in
// commands.ts.

import type { CommandRow } from './command/index.ts';
import { chatFlags, demo, json, printFlags, project, readFlags, root, storeFlags } from './flags/index.ts';

export const traceCommands: readonly CommandRow[] = [
  {
    name: 'trace',
    argument: '[ACTION...]',
    actions: [
      'install',
      'uninstall',
      'backfill',
      'follow',
      'status',
      'flush',
      'retry',
      'explain',
      'test',
      'mute',
      'unmute',
      'hook',
    ],
    summary: 'send every turn to Langfuse, Phoenix, OpenTelemetry',
    flags: [
      { name: '--since', value: 'TIME', summary: 'backfill only sessions changed since TIME: 2026-03-01, 12h, 7d' },
      { ...project, summary: `backfill ${project.summary}; mute this folder` },
      { name: '--dry-run', summary: 'show what backfill would send, or install would write' },
      {
        name: '--content',
        value: 'MODE',
        summary: 'how much text goes into spans: full, no-tool-content or metadata',
      },
      { name: '--keep-forks', summary: 'also send the turns that a fork copied, as separate traces' },
      { name: '--compat', summary: 'keep writing the state file of cc-langfuse' },
      { name: '--strict-seed', summary: 'every user line that is not a tool result opens a turn', isHidden: true },
      ...readFlags,
    ],
    examples: [
      'clew trace install  # also uninstall; sets up the hooks',
      'clew trace backfill --since 30d --dry-run',
      'clew trace test  # sends one made-up trace',
      'clew trace status  # also flush, retry, follow, hook',
      'clew trace explain 3f2b8c1e',
      'clew trace mute  # this folder, or a session; also unmute',
    ],
    load: () => import('./trace/trace.ts'),
  },
];

export const runCommands: readonly CommandRow[] = [
  {
    name: 'chat',
    argument: '[PROMPT...]',
    summary: 'work with the agent in the terminal',
    flags: chatFlags,
    examples: [
      'clew chat',
      'clew chat "why does the test fail?"',
      'clew chat --continue',
      'clew chat --resume 3f2b8c1e',
    ],
    load: () => import('./console/chat.ts'),
  },
  {
    name: 'print',
    argument: '[PROMPT]',
    summary: 'run the agent without a screen (`clew -p PROMPT`)',
    flags: printFlags,
    examples: [
      'clew -p "What does this project do?"',
      'git diff | clew -p "Review this" --output-format json | jq -r .result',
      'clew -p "Fix the tests" --permission-mode acceptEdits --max-turns 20',
      'clew -p "now the docs" --continue --output-format stream-json',
    ],
    load: () => import('./headless/print.ts'),
  },
  {
    name: 'setup',
    summary: 'add Clew to the settings of Claude Code, or remove it',
    flags: [
      { name: '--mcp', summary: 'the MCP server: agents search and read earlier sessions' },
      { name: '--all-projects', summary: 'with the server: sessions of all projects, not only of the current one' },
      { name: '--archive', summary: 'archive a session when it ends' },
      { name: '--push', summary: 'push to the store of your team when a session ends' },
      { name: '--trace', summary: 'trace every turn, as `clew trace install` does' },
      { name: '--guard', summary: 'check the limits of `clew guard set`' },
      { name: '--statusline', summary: 'the status line, also if there is another one' },
      { name: '--skill', summary: 'the skill and the slash commands' },
      { name: '--remove', summary: 'take back what was set up, or the named parts of it' },
      { name: '--status', summary: 'show what is set up' },
      { name: '--yes', summary: 'do not ask for confirmation' },
      { name: '--dry-run', summary: 'show the changes, write nothing' },
      json,
      root,
    ],
    examples: [
      'clew setup --dry-run',
      'clew setup  # shows every change and asks',
      'clew setup --mcp --all-projects',
      'clew setup --remove',
    ],
    load: () => import('./setup/command.ts'),
  },
  {
    name: 'mcp',
    summary: 'let agents search and read past sessions (MCP)',
    flags: [
      { name: '--all-projects', summary: 'also sessions of other projects, not only of the folder it runs in' },
      ...storeFlags,
      root,
      demo,
    ],
    examples: [
      'claude mcp add clew -- clew mcp',
      'claude mcp add --scope user clew -- clew mcp --all-projects',
      'claude mcp add team -- clew mcp --store --everyone',
    ],
    load: () => import('./mcp/command.ts'),
  },
  {
    name: 'replay',
    argument: 'SESSION',
    summary: 'serve the recorded answers of a session as a model',
    flags: [
      { name: '--port', value: 'N', summary: 'listen on port N of 127.0.0.1 instead of a free one' },
      { name: '--speed', value: 'real|fast', summary: 'with the recorded pauses, or without (the default)' },
      {
        name: '--on-mismatch',
        value: 'nearest|error',
        summary: 'if a request differs: serve the nearest message (the default), or refuse with 400',
      },
      ...readFlags,
    ],
    examples: ['clew replay 3f2b8c1e', 'clew replay 3f2b8c1e --port 8080 --speed real'],
    load: () => import('./serve/replay.ts'),
  },
];
