// The rows of the commands for the store of a team; part of the table in commands.ts.
import type { CommandRow } from './command/index.ts';
import { json, root } from './flags/index.ts';

export const teamCommands: readonly CommandRow[] = [
  {
    name: 'push',
    summary: 'send what you share to the store of your team',
    flags: [
      {
        name: '--to',
        value: 'ADDRESS',
        summary: 'the store, postgres://USER@HOST/DATABASE, instead of that of team.json',
      },
      { name: '--dry-run', summary: 'show what would leave; with --json every row of it; nothing is sent' },
      { name: '--watch', summary: 'push sessions as they change, until it is stopped' },
      { name: '--raise', summary: 'share again what another machine of yours lowered or removed' },
      { name: '--auto', summary: 'for a SessionEnd hook: print nothing, and log what fails' },
      { name: '--detach', summary: 'with --auto: return at once, and push in the background' },
      json,
      root,
    ],
    examples: [
      'clew push',
      'clew push --dry-run',
      'clew push --to postgres://ada@db.example/clew',
      'clew push --watch',
    ],
    load: () => import('./push/command.ts'),
  },
];
