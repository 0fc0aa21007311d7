// What differs between models in how a request is counted.
import { newTokenizerFactor } from '../../api/request/index.ts';
import { plainModelName } from '../../models/index.ts';
import { isVersionSince } from '../../session/facts/index.ts';

/** Models before Opus 4.7. */
const oldTokenizer = /claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-20\d{6})?$)/;

export function tokenizerFactor(model: string | undefined): number {
  return model === undefined || oldTokenizer.test(plainModelName(model)) ? 1 : newTokenizerFactor;
}

/** Models before Opus 4.5, and their contemporaries: the API leaves the thinking of earlier turns out. */
const forgetful = /claude-(?:3|(?:opus|sonnet)-4(?:-[01])?(?:-20\d{6})?$|(?:sonnet|haiku)-4-5)/;

/** Clients since then ask the API to keep all thinking. Seen: 2.0.28 does not, 2.0.42 does. */
const keepsThinkingSince = [2, 0, 40];

export function dropsEarlierThinking(model: string | undefined, clientVersion: string | undefined): boolean {
  if (model === undefined || !forgetful.test(plainModelName(model))) return false;
  return !isVersionSince(clientVersion, keepsThinkingSince);
}
