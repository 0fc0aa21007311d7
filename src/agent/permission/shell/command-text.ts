// A simple command → the texts that rules are compared with.
import { shellQuote } from '../../../base/shell-quote.ts';
import { matchesText } from '../../wildcard.ts';
import { isLiteral, type ShellCommand, type ShellWord } from './script.ts';

/** Variables that change how a program talks, not what it runs. */
const harmlessVariables: ReadonlySet<string> = new Set([
  ...[
    'CI',
    'NODE_ENV',
    'FORCE_COLOR',
    'NO_COLOR',
    'CLICOLOR',
    'CLICOLOR_FORCE',
    'COLUMNS',
    'LINES',
    'TERM',
    'TZ',
    'DEBUG',
  ],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_NUMERIC', 'LC_TIME', 'LC_COLLATE', 'RUST_BACKTRACE', 'RUST_LOG'],
  ...['PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'GOOS', 'GOARCH', 'CGO_ENABLED', 'LOG_LEVEL', 'VERBOSE'],
]);

export function isHarmless({ name, word }: ShellCommand['assignments'][number]): boolean {
  return harmlessVariables.has(name) && isLiteral(word);
}

/** What a rule that allows must match: each word stays one word, and a variable that matters is part of the text. */
export function allowText(command: ShellCommand): string {
  const weighty = command.assignments.every(isHarmless) ? [] : command.assignments.map(({ word }) => word.raw);
  return [...weighty, ...command.words.map(wordText)].join(' ');
}

/** Everything that a rule that forbids is compared with: one hit is enough. */
export function denyTexts(command: ShellCommand): readonly string[] {
  const values = command.words.map(({ value }) => value);
  const [name = '', ...rest] = values;
  const plain = [name.replace(/^.*\//, ''), ...rest].join(' ');
  const raw = command.words.map((word) => word.raw).join(' ');
  const withVariables = [...command.assignments.map(({ word }) => word.raw), ...values].join(' ');
  return [...new Set([values.join(' '), plain, raw, withVariables, allowText(command)])];
}

/** `npm run test:*` and `npm run test *` match the command alone and with arguments; other stars match any text. */
export function matchesCommand(specifier: string, text: string): boolean {
  const wanted = specifier.replace(/\s+/g, ' ');
  if (!wanted.endsWith(':*') && !wanted.endsWith(' *'))
    return wanted.includes('*') ? matchesText(wanted, text) : wanted === text;
  const prefix = wanted.slice(0, -2);
  return matchesText(prefix, text) || matchesText(`${prefix} *`, text);
}

function wordText({ raw, value }: ShellWord): string {
  if (!/\s/.test(value) && value !== '') return value;
  return /^"[^"\\]*"$|^'[^']*'$/.test(raw) ? raw : shellQuote(value);
}
