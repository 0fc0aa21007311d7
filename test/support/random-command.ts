// A seed's numbers → a command line: any command of src/cli/commands.ts with any of its flags, with valid,
// nearly valid and invalid arguments. Output paths are always in the output folder.
import type { CommandRow, Flag } from '../../src/cli/command/command.ts';
import { commands, globalFlags } from '../../src/cli/commands.ts';
import type { HostilePlace } from './hostile-place.ts';

export interface RandomCommand {
  readonly args: readonly string[];
  /** It may run until it is stopped: a server, a watcher, or the agent waiting for its model. */
  readonly isEndless: boolean;
}

const endless: ReadonlySet<string> = new Set(['chat', 'print', 'watch', 'tail', 'open', 'replay', 'mcp']);

/** Words that look like flags, patterns, keys of objects, or control a terminal. No path leaves its folder. */
const odd: readonly string[] = [
  ...[
    '',
    ' ',
    '-',
    '--',
    '-x',
    '--json',
    '--no-such-flag',
    '*',
    '?',
    '[',
    '(',
    '\\',
    '%s',
    '$HOME',
    "'",
    '"',
    '`',
    '|',
  ],
  ...['0', '-1', '1', '2', '99999999999999999999', '1e9', 'NaN', 'null', '__proto__', 'constructor', 'undefined'],
  ...[
    '\u001b[31mred\u001b[0m',
    '\u0007',
    '\u009b2J',
    '\u202eright to left',
    'two\nlines',
    '\ttab\r',
    '\u0001',
    'é',
    '日本',
  ],
  ...['x'.repeat(300), 'a b', 'today', '7d', '2026-01-03', '3h', 'daily', 'first', 'session', 'html', 'json', 'md'],
];

/** Valid values for words of the help; other words only get odd values. */
function valuesFor(word: string, { sessions, root, input, out, top }: HostilePlace): readonly string[] {
  // As root, a mistake would remove the device itself.
  const { 'empty device': _, ...named } = sessions;
  const known: Readonly<Record<string, readonly string[]>> = {
    SESSION: [...Object.values(named), ...Array.from({ length: 10 }, () => sessions.sound), sessions.twin.slice(0, 4)],
    SESSION_B: [sessions.twin, sessions.sound, sessions['linked file']],
    DIR: [out, `${out}/new`, `${out}/new/deeper`, `${out}/\u001b[31m`],
    FILE: [`${out}/file.md`, `${out}/folder/`, `${out}/file.clew`, `${out}/\u001b[31m.md`],
    'named FILE': [
      `${input}/rules.json`,
      `${input}/summary.md`,
      `${input}/broken.clew`,
      `${input}/prices.json`,
      `${out}/file.clew`,
    ],
    root: [...Array.from({ length: 8 }, () => root), `${root}/projects`, `${top}/missing`, `${input}/notes.jsonl`],
    REPORT: ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'],
    ACTION: [
      'install',
      'uninstall',
      'backfill',
      'status',
      'flush',
      'retry',
      'explain',
      'hook',
      'follow',
      'update',
      sessions.sound,
    ],
    SHELL: ['bash', 'zsh', 'fish'],
    FORMAT: ['md', 'html', 'json', 'anthropic', 'openai', 'parquet', 'text', 'stream-json'],
    TURN: ['1', '2', '3', 'u2'],
    N: ['0', '1', '2', '1000'],
    'real|fast': ['real', 'fast'],
    'given|time': ['given', 'time'],
    NAME: ['bridge', 'newest', 'graft', 'Bash'],
    P: ['work', 'linked', root, '-'],
    NAMES: ['Bash', 'Read,mcp__*'],
    KIND: ['github-token'],
    UUID: ['0e0e0e0e-0e0e-4e0e-8e0e-0e0e0e0e0e0e'],
  };
  return known[word] ?? [];
}

/** Their value is an output path or a program to start: never an odd one. */
const safeOnly: ReadonlySet<string> = new Set(['DIR', 'FILE', 'root', 'named FILE']);
const inputFlags: ReadonlySet<string> = new Set(['--rules', '--summary-file', '--file']);

export function randomCommand(random: () => number, place: HostilePlace): RandomCommand {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const value = (word: string): string => {
    const known = valuesFor(word, place);
    return known.length > 0 && (safeOnly.has(word) || random() < 0.8) ? pick(known) : pick(odd);
  };
  const row = pick(commands.filter(({ name }) => !endless.has(name) || random() < 0.2));
  const words = wordsOf(row).flatMap((word) => {
    const name = word.replace(/[[\].]/g, '').split('|')[0] ?? '';
    const count = word.endsWith('...') || word.endsWith('...]') ? Math.floor(random() * 4) : random() < 0.9 ? 1 : 0;
    return Array.from({ length: count }, () => value(argumentName(row, name)));
  });
  const flags = [...row.flags, ...globalFlags].flatMap((flag) => {
    if (flag.name === '--mcp-config' || random() > (likely.has(flag.name) ? 0.5 : 0.15)) return [];
    return flag.value === undefined ? [flag.name] : [flag.name, value(flagValue(flag))];
  });
  const extra = random() < 0.05 ? [pick(odd)] : [];
  const args = [row.name, ...shuffled([words, flags], random), ...extra];
  return { args, isEndless: endless.has(row.name) || args.includes('follow') || args.includes('--watch') };
}

/** Without these, most calls that change something end with a question or do nothing. */
const likely: ReadonlySet<string> = new Set([
  '--yes',
  '--fix',
  '--in-place',
  '--tools',
  '--keep-turns',
  '--at',
  '--to',
  '--root',
]);

function wordsOf({ argument }: CommandRow): readonly string[] {
  return argument?.split(' ') ?? [];
}

function argumentName({ name }: CommandRow, word: string): string {
  if (name === 'move') return word === 'FROM' ? 'SESSION' : 'DIR';
  return (name === 'import' || name === 'prices') && word === 'FILE' ? 'named FILE' : word;
}

function flagValue({ name, value = '' }: Flag): string {
  const word = value.replace(/[[\].]/g, '');
  if (name === '--root') return 'root';
  if (word === 'FILE') return inputFlags.has(name) ? 'named FILE' : 'FILE';
  return word.includes('TURN') ? 'TURN' : word;
}

function shuffled(parts: readonly (readonly string[])[], random: () => number): readonly string[] {
  return random() < 0.5 ? parts.flat() : parts.toReversed().flat();
}
