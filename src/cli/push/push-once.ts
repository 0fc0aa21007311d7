// One push of the sessions below the roots: brings index and usage up to date, and sends or shows what changed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { stateFolder } from '../../store/index.ts';
import { loadRuleSet, usualRuleSet } from '../../surgery/secrets/index.ts';
import {
  type CollectContext,
  loadStoreKey,
  localSessions,
  type Rules,
  rulesVersion,
} from '../../team/collect/index.ts';
import { isGatewayAddress, readTeamConfig, type TeamConfig } from '../../team/config/index.ts';
import { parseAddress } from '../../team/database/index.ts';
import { openTarget, type PushOptions, type PushReport, pushFolder, pushSessions } from '../../team/push/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { currentPrices, currentUsage, madeByReader, rootsOf, sessionsIn, withIndex } from '../input/index.ts';
import { showProgress, writeNotice } from '../terminal/index.ts';

/** How long a push tries a store that does not answer. */
const patienceMs = 60_000;
const lockWaitMs = 10 * 60_000;

export interface PushPlace {
  readonly address: string;
  readonly config: TeamConfig;
}

export function pushPlace({ flags, io }: CommandInput): PushPlace {
  const config = readTeamConfig(io.env);
  const address = textFlag(flags, 'to') ?? config.store;
  if (address === undefined)
    throw new UserError(
      'there is no store to push to',
      'name it with --to postgres://USER@HOST/DATABASE, or as "store" in team.json (docs/team.md)',
    );
  // Also where nothing is shared, and so nothing is opened.
  if (!isGatewayAddress(address)) parseAddress(address);
  return { address, config };
}

export type LocalPush = Omit<PushOptions, 'openTarget' | 'patienceMs'>;

/** The work may run twice if the index is damaged, which changes nothing: what is pushed is known by its content. */
export function withLocalSessions<T>(
  input: CommandInput,
  { address, config }: PushPlace,
  work: (local: LocalPush) => Promise<T>,
): Promise<T> {
  const { io, flags } = input;
  return withIndex(
    input,
    async (database, _, summaries) => {
      const { sessions: listed } = await sessionsIn(database, input, summaries);
      const prices = currentPrices(io);
      const usage = currentUsage(input, prices);
      const context: CollectContext = {
        database,
        machine: config.machine,
        key: loadStoreKey(pushFolder(io.env)),
        rules: rulesOf(config, io.env),
        nowMs: Date.now(),
      };
      const sessions = localSessions({
        database,
        roots: rootsOf(input),
        listed,
        usage,
        prices: prices.prices.version,
        summaries,
        madeBy: madeByReader(io),
      });
      return work({ env: io.env, config, address, sessions, context, raises: flags.raise === true });
    },
    { withSummaries: true },
  );
}

export function pushOnce(
  input: CommandInput,
  place: PushPlace,
  { signal, waitMs = lockWaitMs }: { readonly signal?: AbortSignal; readonly waitMs?: number } = {},
): Promise<PushReport> {
  const { stderr } = input.io;
  return withLocalSessions(input, place, async (local) => {
    const progress = showProgress({ stderr, label: 'pushing sessions' });
    let hasWaited = false;
    try {
      return await pushSessions({
        ...local,
        patienceMs,
        waitMs,
        ...(signal === undefined ? {} : { signal }),
        openTarget: () => openTarget(place.address, place.config, input.io.env),
        onLock: (holder) => writeNotice(stderr, `waiting for another push (${holder})`),
        onProgress: ({ bytesDone, bytesTotal }) => progress.update(bytesDone, bytesTotal),
        onWait: () => {
          if (!hasWaited) writeNotice(stderr, 'the store does not answer; trying again for a minute');
          hasWaited = true;
        },
      });
    } finally {
      progress.end();
    }
  });
}

function rulesOf({ rulesFile }: TeamConfig, env: NodeJS.ProcessEnv): Rules {
  const state = stateFolder(env);
  const ruleSet = rulesFile === undefined ? usualRuleSet(state) : loadRuleSet(rulesFile);
  return { ruleSet, version: rulesVersion(ruleSet, contentOrNone(rulesFile ?? path.join(state, 'redact.json'))) };
}

/** '' if there is none. */
function contentOrNone(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
