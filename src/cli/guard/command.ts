// clew guard: sets, shows and removes limits for spending. As a hook, with the input of Claude Code on stdin, the lean
// command runs instead (lean.ts).
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import {
  type GuardLimits,
  guardFile,
  limitsFrom,
  readGuard,
  removeGuard,
  writeGuard,
} from '../../library/guard/index.ts';
import { createCalendar } from '../../library/usage/index.ts';
import { stateFolder } from '../../store/index.ts';
import { type CommandInput, listFlag, textFlag } from '../command/index.ts';
import { writeNotice, writeOut } from '../terminal/index.ts';
import { measureSpending } from './measure.ts';
import { guardJson, stateLines } from './state-text.ts';

export async function run(input: CommandInput): Promise<void> {
  const { argument = 'status', flags, io, words } = input;
  if (words.length > 1) throw new UserError(`clew guard takes one word, not "${words.join(' ')}"`, actionHint);
  const folder = stateFolder(io.env);
  switch (argument) {
    case 'set':
      return set(input, folder);
    case 'off': {
      const had = removeGuard(folder);
      if (flags.json === true) return writeOut([`${jsonText({ file: guardFile(folder), removed: had }, 2)}\n`], io);
      return writeOut(
        [had ? 'the limits are removed; hooks of clew guard pass everything\n' : 'there were no limits\n'],
        io,
      );
    }
    case 'status':
      return status(input, limitsOf(input, readGuard(folder)));
    default:
      throw new UserError(`there is no "clew guard ${argument}"`, actionHint);
  }
}

const actionHint = 'use set, status or off';

function limitsOf({ flags }: CommandInput, usual: GuardLimits | undefined): GuardLimits {
  const limits = limitsFrom(
    {
      soft: textFlag(flags, 'soft'),
      hard: textFlag(flags, 'hard'),
      per: textFlag(flags, 'per'),
      timeZone: textFlag(flags, 'timezone'),
    },
    usual,
  );
  createCalendar(limits.timeZone); // refuses a zone that does not exist
  return limits;
}

async function set(input: CommandInput, folder: string): Promise<void> {
  const { flags } = input;
  const limits = limitsOf(input, usualOf(input, folder));
  if (limits.soft === undefined && limits.hard === undefined)
    throw new UserError('there is no limit to set', 'for example clew guard set --soft 5 --hard 15 --per day');
  writeGuard(folder, limits);
  if (flags.json !== true) writeNotice(input.io.stderr, `the limits are in ${guardFile(folder)}`);
  await status(input, limits);
}

/** Limits that cannot be used are replaced. */
function usualOf({ io }: CommandInput, folder: string): GuardLimits | undefined {
  try {
    return readGuard(folder);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    writeNotice(io.stderr, `${error.message.split('; ')[0]}; it is replaced`);
    return undefined;
  }
}

async function status({ flags, io, unread }: CommandInput, limits: GuardLimits): Promise<void> {
  const sessionId = textFlag(flags, 'session') ?? io.env.CLAUDE_CODE_SESSION_ID;
  const nowMs = Date.now();
  const isOn = limits.soft !== undefined || limits.hard !== undefined;
  const hasScope = limits.per !== 'session' || sessionId !== undefined;
  const question = { limits, roots: listFlag(flags, 'root'), sessionId, ownRoot: undefined, env: io.env, nowMs };
  const { state, problems } = isOn && hasScope ? measureSpending(question) : { state: undefined, problems: [] };
  for (const problem of problems) writeNotice(io.stderr, problem);
  if (flags.json === true)
    return writeOut([`${jsonText({ ...guardJson(limits, state), unread: unread.problems }, 2)}\n`], io);
  await writeOut([`${stateLines(state, limits, { nowMs, style: io.style }).join('\n')}\n`], io);
}
