// The words and flags of `clew find` → what to search for.
import { UserError } from '../../base/errors/index.ts';
import { parseTime } from '../../base/time/index.ts';
import type { SearchQuery } from '../../library/search/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { projectFilter } from '../input/index.ts';

const defaultLimit = 20;
const shownOfOneSession = 3;

export interface QueryPlaces {
  readonly roots: readonly string[];
  /** The main transcript of the only session to search. */
  readonly session: string | undefined;
}

export function queryOf(
  input: Pick<CommandInput, 'flags' | 'words' | 'io'>,
  { roots, session }: QueryPlaces,
): SearchQuery {
  const { flags } = input;
  const mode = flags.exact === true ? 'exact' : flags.regex === true ? 'regex' : 'words';
  const [since, until, role, tool, file] = ['since', 'until', 'role', 'tool', 'file'].map((name) =>
    textFlag(flags, name),
  );
  return {
    text: input.words.join(' '),
    mode,
    ignoreCase: flags.i === true,
    roots,
    limit: limitOf(textFlag(flags, 'limit')),
    ...(flags.json === true || session !== undefined ? {} : { perSession: shownOfOneSession }),
    ...(flags.project === undefined ? {} : { isOfProject: projectFilter(input) }),
    ...(session === undefined ? {} : { session }),
    ...(since === undefined ? {} : { since: parseTime(since, '--since', false) }),
    ...(until === undefined ? {} : { until: parseTime(until, '--until', true) }),
    ...(role === 'user' || role === 'assistant' ? { role } : {}),
    ...(tool === undefined ? {} : { tool }),
    ...(file === undefined ? {} : { file }),
  };
}

export function refuseWrongFlags({ flags }: Pick<CommandInput, 'flags'>): void {
  if (flags.exact === true && flags.regex === true) {
    throw new UserError('--exact and --regex exclude each other', 'give one of them');
  }
  const role = textFlag(flags, 'role');
  if (role !== undefined && role !== 'user' && role !== 'assistant') {
    throw new UserError(`there is no role "${role}"`, 'use user or assistant');
  }
}

function limitOf(value: string | undefined): number {
  if (value === undefined) return defaultLimit;
  const limit = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit > 0) return limit;
  throw new UserError(`--limit does not understand "${value}"`, 'give a number from 1 on');
}
