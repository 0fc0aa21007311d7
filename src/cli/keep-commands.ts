// The rows of the commands that keep, delete and repair sessions; part of the table in commands.ts.
import type { CommandRow } from './command/index.ts';
import { changeFlags, demo, json, project, readFlags, root } from './flags/index.ts';

export const keepCommands: readonly CommandRow[] = [
  {
    name: 'archive',
    argument: '[SESSION...]',
    summary: 'keep compressed copies, safe from the 30-day cleanup',
    flags: [
      { name: '--older-than', value: 'DAYS', summary: 'only sessions unchanged for DAYS days' },
      project,
      { name: '--auto', summary: 'for a SessionEnd hook: archive the session named on stdin, print nothing' },
      { name: '--list', summary: 'list the archived sessions' },
      { name: '--verify', summary: 'read the whole archive and check every copy' },
      { name: '--dry-run', summary: 'show what would be archived' },
      json,
      root,
    ],
    examples: ['clew archive', 'clew archive 3f2b8c1e', 'clew archive --older-than 20', 'clew archive --list'],
    load: () => import('./archive/command.ts'),
  },
  {
    name: 'restore',
    argument: 'SESSION',
    summary: 'restore a session from the archive, byte for byte',
    flags: [
      { name: '--to', value: 'DIR', summary: 'restore below DIR instead of the original place' },
      { name: '--copy', value: 'N', summary: 'copy N instead of the latest; 1 is the oldest' },
      { name: '--force', summary: 'replace files that differ; backups of them are kept' },
      { name: '--dry-run', summary: 'show what would be restored' },
      json,
    ],
    examples: ['clew restore 3f2b8c1e', 'clew restore 3f2b8c1e --to /tmp/look'],
    load: () => import('./archive/restore.ts'),
  },
  {
    name: 'rm',
    argument: '[SESSION...]',
    summary: 'archive sessions, then delete all their files',
    flags: [
      { name: '--no-archive', summary: 'delete without a copy in the archive' },
      { name: '--empty', summary: 'delete all sessions without a conversation' },
      { name: '--yes', summary: 'do not ask for confirmation' },
      { name: '--dry-run', summary: 'show what would be deleted' },
      json,
      root,
    ],
    examples: ['clew rm 3f2b8c1e', 'clew rm --empty --dry-run'],
    load: () => import('./archive/rm.ts'),
  },
  {
    name: 'star',
    argument: '[SESSION...]',
    summary: 'star sessions, or list the starred ones',
    flags: [{ name: '--remove', summary: 'remove the star' }, json, root],
    examples: ['clew star 3f2b8c1e', 'clew star', 'clew star 3f2b8c1e --remove'],
    load: () => import('./archive/star.ts'),
  },
  {
    name: 'index',
    summary: 'update the index now instead of on the next use',
    flags: [...readFlags],
    examples: ['clew index', 'clew index --json'],
    load: () => import('./library-index/command.ts'),
  },
  {
    name: 'watch',
    summary: 'keep the index current while sessions grow',
    flags: [{ name: '--quiet', summary: 'print problems only' }, json, root],
    examples: ['clew watch', 'clew watch --quiet &'],
    load: () => import('./library-index/watch.ts'),
  },
];

export const repairCommands: readonly CommandRow[] = [
  {
    name: 'doctor',
    argument: '[SESSION]',
    summary: 'find what a resume loses or the API rejects; repair',
    flags: [
      { name: '--all', summary: 'check every session and list those with findings, worst first' },
      { name: '--fix', summary: 'repair: plan, show, ask, check the result, write a new session' },
      {
        name: '--mark',
        summary: 'with --fix, for refused thinking: append a mark to the session instead of leaving blocks out',
      },
      { name: '--strategy', value: 'NAME', summary: 'bridge, newest or graft, if a branch has newer work' },
      {
        name: '--client',
        value: '[FILE]',
        notValue: /^[0-9a-f]{4,}[0-9a-f-]*$/i,
        summary: 'run the installed Claude Code, or FILE, on twenty small sessions to check our predictions',
      },
      { name: '--yes', summary: 'do not ask for confirmation' },
      ...changeFlags,
      demo,
    ],
    examples: [
      'clew doctor 3f2b8c1e',
      'clew doctor --all',
      'clew doctor 3f2b8c1e --fix',
      'clew doctor 3f2b8c1e --json | jq ".findings[].code"',
      'clew doctor --client',
    ],
    load: () => import('./doctor/command.ts'),
  },
  {
    name: 'undo',
    argument: '[OPERATION]',
    summary: 'undo an operation on sessions, by default the last',
    flags: [{ name: '--dry-run', summary: 'show what would be undone' }, json],
    examples: ['clew undo', 'clew undo 20260301T101500-3fa9c1'],
    load: () => import('./reshape/undo.ts'),
  },
  {
    name: 'history',
    argument: '[SESSION]',
    summary: 'list operations on sessions',
    flags: [json, root],
    examples: ['clew history', 'clew history 3f2b8c1e --json'],
    load: () => import('./reshape/history.ts'),
  },
];
