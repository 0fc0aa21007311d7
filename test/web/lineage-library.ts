// A library for the tests of the list: many sessions of three months, forks of one of them, a worktree, tags and pull
// requests, one of which has an address that must not become a link.
import { transcript } from '../support/transcript-builder.ts';

const dayMs = 86_400_000;

export const originId = 'aaaaaaaa-0000-4000-8000-000000000001';
export const forkIds: readonly string[] = [2, 3, 4].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`);
export const worktreeId = 'bbbbbbbb-0000-4000-8000-000000000001';
export const hostilePullId = 'bbbbbbbb-0000-4000-8000-000000000002';
export const plainId = (n: number): string => `cccccccc-0000-4000-8000-${String(n).padStart(12, '0')}`;

interface Planned {
  readonly id: string;
  readonly prompt: string;
  /** Before now. */
  readonly days: number;
  readonly cwd?: string;
  readonly branch?: string;
  readonly forkOf?: string;
  readonly asides?: readonly (readonly [string, Readonly<Record<string, string | number>>])[];
}

function session({ id, prompt, days, cwd = '/home/kim/lamp', branch = 'main', forkOf, asides = [] }: Planned): string {
  const timestamp = new Date(Date.now() - days * dayMs).toISOString();
  const copied = forkOf === undefined ? {} : { forkedFrom: { sessionId: forkOf, messageUuid: 'x' } };
  const builder = transcript({ sessionId: id, cwd, gitBranch: branch, ...copied });
  builder.user(prompt, { uuid: `${id}-1`, timestamp }).assistant('Done.', { uuid: `${id}-2`, timestamp });
  for (const [type, fields] of asides) builder.aside(type, { sessionId: id, ...fields });
  return builder.text();
}

/** `plain`: how many sessions without anything special, two a day. */
export function lineageLibrary(plain = 60): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  const add = (folder: string, planned: Planned): void => {
    files[`${folder}/${planned.id}.jsonl`] = session(planned);
  };
  for (let n = 0; n < plain; n++) add('-home-kim-mill', { ...mill(n), id: plainId(n), days: n / 2 + 0.01 });
  add('-home-kim-lamp', { id: originId, prompt: 'Trim the wick', days: 80 });
  for (const [n, id] of forkIds.entries())
    add('-home-kim-lamp', {
      id,
      prompt: `Trim the wick, ${['first', 'second', 'third'][n]} try`,
      days: n + 0.001,
      branch: 'wick',
      forkOf: originId,
    });
  add('-home-kim-lamp--claude-worktrees-glass', {
    id: worktreeId,
    prompt: 'Clean the glass',
    days: 0.002,
    cwd: '/home/kim/lamp/.claude/worktrees/glass',
    branch: 'worktree-glass',
    asides: [
      ['tag', { tag: 'review' }],
      ['pr-link', { prNumber: 41, prUrl: 'https://example.invalid/kim/lamp/pull/41', prRepository: 'kim/lamp' }],
    ],
  });
  add('-home-kim-lamp', {
    id: hostilePullId,
    prompt: 'An address that is not a link',
    days: 0.003,
    asides: [['pr-link', { prNumber: 7, prUrl: 'javascript:alert(1)//https://x', prRepository: '<b>kim</b>' }]],
  });
  return files;
}

function mill(n: number): Pick<Planned, 'prompt' | 'cwd' | 'branch'> {
  return { prompt: `Grind sack ${n}`, cwd: '/home/kim/mill', branch: n % 2 === 0 ? 'main' : 'stone' };
}
