// The command line that does the same as an action of the page, for the clipboard of a page that may not change anything.
import { isUuid, shellQuote } from '../../base/text/index.ts';
import type { ActionName, ActionOptions, ActionOptionView } from './actions.ts';
import { actionNamed } from './actions.ts';

export interface CommandSession {
  readonly key: string;
  readonly id: string;
  readonly path: string;
}

/** `roots`: the folders that the command must name. */
export function commandOf(
  name: ActionName,
  session: CommandSession,
  options: ActionOptions = {},
  roots: readonly string[] = [],
): string {
  const action = actionNamed(name);
  if (action === undefined) throw new TypeError(`there is no action ${name}`);
  const [program = '', command = '', ...fixed] = action.command.split(' ');
  const flags = action.options.flatMap((option) => flagWords(option, options));
  const values = action.options.flatMap((option) => plainWords(option, options));
  const removesTag = name === 'tag' && values.join('') === '';
  const words = [
    ...[program, command, ...fixed],
    ...flags,
    ...(removesTag ? ['--remove'] : []),
    ...(name === 'restore' ? [] : roots.flatMap((root) => valueWords('--root', root))),
    // After `--` nothing is taken for a flag; before it, an optional value would take the session.
    ...(values.some((value) => value.startsWith('-')) || flags.at(-1) === '--tools' ? ['--'] : []),
    sessionWord(session),
    ...(removesTag ? [] : values),
  ];
  return words.map(shellQuote).join(' ');
}

/** An id that is not a UUID, or that several sessions share, does not name the session. */
function sessionWord({ key, id, path }: CommandSession): string {
  return key === id && isUuid(id) ? id : path;
}

function flagWords({ name, kind, flag }: ActionOptionView, options: ActionOptions): readonly string[] {
  const value = options[name];
  if (flag === undefined || value === undefined || value === false) return [];
  if (kind === 'flag') return [flag];
  // `--tools` alone means all tools.
  return value === '' ? (name === 'tools' ? [flag] : []) : valueWords(flag, String(value));
}

function valueWords(flag: string, value: string): readonly string[] {
  return value.startsWith('-') || flag === '--tools' ? [`${flag}=${value}`] : [flag, value];
}

function plainWords({ name, flag }: ActionOptionView, options: ActionOptions): readonly string[] {
  const value = options[name];
  return flag === undefined && value !== undefined ? [String(value)] : [];
}
