// A session read by its heads → whether its content deserves a closer look. Parsing everything costs several times as
// much as reading the heads, and nearly all sessions are sound: a few searches over the bytes tell which may not be.

import type { Session } from '../../session/load/session.ts';
import { callsOf, isMessage } from '../../session/transcript/node.ts';
import { bytesOf, type Transcript } from '../../session/transcript/transcript.ts';
import { type ByteSigns, screenBytes } from './screen-bytes.ts';

export interface Screening {
  /** Something inside of strings that only a reader of every byte finds. */
  readonly isDamagedInside: boolean;
  /** Something that may make the API reject the request. */
  readonly isOdd: boolean;
  /** Where lines with images begin; they are judged by themselves. */
  readonly imageLines: readonly number[];
}

/** The same question for a sub-agent's transcript; its other signs do not count, since nobody resumes it. */
export function isDamagedInside(transcript: Transcript): boolean {
  return screenBytes(transcript.path, { thoughts: 0 }, bytesOf(transcript)).isDamagedInside;
}

export function screenSession(session: Session): Screening {
  const signs = signsOf(session);
  const main = screenBytes(session.transcript.path, signs, bytesOf(session.transcript));
  return {
    isDamagedInside: main.isDamagedInside,
    isOdd: main.isOdd || hasOddHeads(session),
    imageLines: main.imageLines,
  };
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;
const toolId = /^[a-zA-Z0-9_-]+$/;
const manyBytes = 8 * 1024 * 1024;
/** Where nothing tells how many tokens they are. */
const manyUncountedBytes = 400_000;

function hasOddHeads({ transcript }: Session): boolean {
  let bytes = 0;
  for (const node of transcript.nodes) {
    if (!isMessage(node) || node.isSidechain) continue;
    bytes += node.length;
    if (callsOf(node).some(({ id, name }) => !toolName.test(name) || !toolId.test(id))) return true;
  }
  return bytes > manyBytes || (bytes > manyUncountedBytes && !transcript.nodes.some((node) => node.message?.usage));
}

function signsOf({ transcript }: Session): ByteSigns {
  let thoughts = 0;
  for (const node of transcript.nodes) {
    thoughts += node.message?.blockTypes.filter((type) => type === 'thinking').length ?? 0;
  }
  return { thoughts };
}
