// The rows of the commands that reshape sessions; part of the table in commands.ts.
import type { CommandRow } from './command.ts';
import { dryRun, inPlace, json, portable, root } from './common-flags.ts';

export const surgeryCommands: readonly CommandRow[] = [
  {
    name: 'fork',
    argument: 'SESSION',
    summary: 'make a second session with the same history, under new ids',
    flags: [
      { name: '--at', value: 'TURN|UUID', summary: 'keep the history up to this turn or line only' },
      { name: '--to', value: 'DIR', summary: 'go on in this folder' },
      { name: '--title', value: 'TEXT', summary: 'the name of the new session' },
      portable,
      dryRun,
      json,
      root,
    ],
    examples: ['clew fork 3f2b8c1e', 'clew fork 3f2b8c1e --at 4 --to ../experiment'],
    load: () => import('./fork.ts'),
  },
  {
    name: 'redact',
    argument: '[SESSION...]',
    summary: 'replace secrets by placeholders in every copy, or check for them',
    flags: [
      { name: '--check', summary: 'only look: exit code 1 if a SESSION, a file or stdin (-) holds a secret' },
      { name: '--all', summary: 'with --check: all sessions' },
      { name: '--rules', value: 'FILE', summary: 'more rules (docs/redact.md); by default redact.json in CLEW_HOME' },
      { name: '--kind', value: 'KIND', summary: 'only secrets of this kind (repeatable)', isRepeatable: true },
      { name: '--allow', value: 'VALUE', summary: 'this value is no secret (repeatable)', isRepeatable: true },
      { name: '--keep-thinking', summary: 'leave signed thinking that holds a secret instead of taking it out' },
      inPlace,
      { name: '--no-backup', summary: 'with --in-place: keep no backup, which would hold the secrets' },
      portable,
      dryRun,
      json,
      root,
    ],
    examples: ['clew redact 3f2b8c1e', 'clew redact 3f2b8c1e --in-place --no-backup', 'clew redact --check --all'],
    load: () => import('./redact.ts'),
  },
  {
    name: 'undo',
    argument: '[OPERATION]',
    summary: 'take back an operation on sessions, by default the last',
    flags: [{ name: '--dry-run', summary: 'say what would be taken back' }, json],
    examples: ['clew undo', 'clew undo 20260301T101500-3fa9c1'],
    load: () => import('./undo.ts'),
  },
  {
    name: 'history',
    argument: '[SESSION]',
    summary: 'list operations on sessions: what was made from what',
    flags: [json, root],
    examples: ['clew history', 'clew history 3f2b8c1e --json'],
    load: () => import('./history.ts'),
  },
];
