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
const project: Flag = {
  name: '--project',
  value: 'P',
  summary: 'only sessions of folder P, or of folders whose path contains P',
};
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
      project,
      { name: '--expiring', summary: 'only those that Claude Code deletes within a week, with the days left' },
      json,
      root,
      demo,
      { name: '--or-demo', summary: 'list the demo sessions where there are no others', isHidden: true },
      { name: '--ids', summary: 'print session ids only', isHidden: true },
    ],
    examples: ['clew ls', 'clew ls --project lighthouse', 'clew ls --expiring', 'clew ls --json | jq ".[0].title"'],
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
    name: 'usage',
    argument: '[REPORT]',
    summary: 'count tokens and cost by day, session, project, model…',
    flags: [
      { name: '--since', value: 'DAY', summary: 'from this day on (2026-03-01)' },
      { name: '--until', value: 'DAY', summary: 'up to this day, the day included' },
      { name: '--project', value: 'P', summary: 'only sessions of folder P, or of folders whose path contains P' },
      { name: '--timezone', value: 'ZONE', summary: 'the zone that days are of, such as Europe/Berlin' },
      { name: '--breakdown', summary: 'each row also by model' },
      { name: '--receipts', value: '[KEY]', summary: 'the lines behind the numbers, of row KEY or of all' },
      json,
      root,
      demo,
    ],
    examples: [
      'clew usage',
      'clew usage monthly --breakdown      # also weekly, session, project, model, blocks',
      'clew usage --since 2026-03-01 --project lighthouse',
      'clew usage daily --receipts 2026-03-01',
    ],
    load: () => import('./usage.ts'),
  },
  {
    name: 'statusline',
    summary: "print one line for Claude Code's status line",
    flags: [json, root],
    examples: ['clew statusline < status.json'],
    load: () => import('./statusline.ts'),
  },
  {
    name: 'archive',
    summary: 'keep compressed copies of sessions, safe from the 30-day cleanup',
    flags: [
      { name: '--older-than', value: 'DAYS', summary: 'only sessions that nobody wrote to for DAYS days' },
      { name: '--project', value: 'P', summary: 'only sessions of folder P, or of folders whose name contains P' },
      { name: '--auto', summary: 'for a SessionEnd hook: the session that stdin names, without a word' },
      { name: '--list', summary: 'list what is in the archive' },
      { name: '--verify', summary: 'read the whole archive back and compare' },
      { name: '--dry-run', summary: 'say what would be archived' },
      json,
      root,
    ],
    examples: ['clew archive', 'clew archive --older-than 20', 'clew archive --list'],
    load: () => import('./archive.ts'),
  },
  {
    name: 'restore',
    argument: 'SESSION',
    summary: 'bring a session back from the archive, byte for byte',
    flags: [
      { name: '--to', value: 'DIR', summary: 'restore below DIR instead of where it was' },
      { name: '--copy', value: 'N', summary: 'copy N, 1 being the oldest, instead of the latest' },
      { name: '--force', summary: 'replace files that differ; they are kept as backups' },
      { name: '--dry-run', summary: 'say what would be restored' },
      json,
    ],
    examples: ['clew restore 3f2b8c1e', 'clew restore 3f2b8c1e --to /tmp/look'],
    load: () => import('./restore.ts'),
  },
  {
    name: 'rm',
    argument: '[SESSION...]',
    summary: 'archive sessions, then delete them with all their files',
    flags: [
      { name: '--no-archive', summary: 'delete without a copy in the archive' },
      { name: '--empty', summary: 'delete all sessions without a conversation' },
      { name: '--yes', summary: 'do not ask' },
      { name: '--dry-run', summary: 'say what would be deleted' },
      json,
      root,
    ],
    examples: ['clew rm 3f2b8c1e', 'clew rm --empty --dry-run'],
    load: () => import('./rm.ts'),
  },
  {
    name: 'watch',
    summary: 'keep the index current while sessions go on',
    flags: [{ name: '--quiet', summary: 'print nothing but trouble' }, json, root],
    examples: ['clew watch', 'clew watch --quiet &'],
    load: () => import('./watch.ts'),
  },
  {
    name: 'tail',
    argument: '[SESSION]',
    summary: 'print what is said and done in all sessions, as it happens',
    flags: [{ name: '--since', value: 'TIME', summary: 'begin earlier: 10m, 3h, 2d, or a date' }, json, root],
    examples: ['clew tail', 'clew tail 3f2b8c1e', 'clew tail --since 10m', 'clew tail --json | jq .text'],
    load: () => import('./tail.ts'),
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
