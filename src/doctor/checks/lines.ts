// The transcript's own diagnostics → findings about lines (L). Nothing is parsed again: the reader has said what it
// found, and the chain tells whether a message was lost by it.

import type { Reachable } from '../../session/facts/reachable.ts';
import { isLinked } from '../../session/graph/graph.ts';
import { clientsWithout } from '../../session/resume/client/client-rules.ts';
import { isMessage } from '../../session/transcript/node.ts';
import { rangesOf } from '../../session/transcript/transcript.ts';
import { type ExaminedSession, reachOf, reachText } from './examined-session.ts';
import { type DamageCode, type Finding, isDamageCode, makeFinding, type Severity } from './finding.ts';

export function checkLines(examined: ExaminedSession): Finding[] {
  const { transcript } = examined.session;
  if (transcript.diagnostics.length === 0) return [];
  const costly = costlyLines(examined);
  return transcript.diagnostics.flatMap(({ code, line, offset, message }) => {
    if (!isDamageCode(code)) return [];
    const { severity, effect } = judge(code, costly.has(line) ? reachOf(examined) : undefined, () =>
      rangesOf(transcript).read(offset, fragmentBytes),
    );
    return makeFinding(code, severity, { file: examined.file, line, offset, uuid: undefined }, message, effect);
  });
}

/** The lines in which the client does not read a message, or a link of the chain whose loss costs one. */
function costlyLines(examined: ExaminedSession): ReadonlySet<number> {
  const { session, lost, lostBefore, places } = examined;
  const away = new Set(session.branches.slice(1).flatMap((branch) => (branch.isReplay ? [] : branch.nodes)));
  const costly = new Set<number>();
  for (const node of session.transcript.nodes) {
    if (!node.hidden || !isLinked(node) || (node.isSidechain && !session.isAgent)) continue;
    const place = places.get(node);
    const isBreak = place !== undefined && (lostBefore[place + 1] ?? 0) > 0;
    // A message that it reads elsewhere, as a copy, is not lost.
    const isLost = isMessage(node) && (lost.has(node) || away.has(node) || session.branches.length === 0);
    if (isLost || isBreak) costly.add(node.line);
  }
  return costly;
}

interface Judgement {
  readonly severity: Severity;
  readonly effect: string;
}

function judge(code: DamageCode, costs: Reachable | undefined, fragment: () => Buffer): Judgement {
  const hidden = costs && {
    severity: 'loss' as const,
    effect: `Claude Code reads only what begins a line; for that, ${reachText(costs)}`,
  };
  switch (code) {
    case 'L-joined':
    case 'L-nul':
      if (hidden !== undefined) return hidden;
      return {
        severity: 'warn',
        effect: `no message is lost; ${clientsWithout('followsFileOrder')} read nothing of the line`,
      };
    case 'L-spliced':
      if (hidden !== undefined) return hidden;
      return { severity: 'warn', effect: 'the record that is cut off is lost; no message is known to be' };
    case 'L-torn-tail': {
      const severity = fragment().includes('"message"') ? 'loss' : 'warn';
      return { severity, effect: 'what was cut off cannot be read; everything else can' };
    }
    case 'L-not-json':
      if (hidden !== undefined) return hidden;
      return {
        severity: 'warn',
        effect: `the current client skips it; ${clientsWithout('skipsOddLines')} may stop there or lose what follows`,
      };
    case 'L-no-newline':
      return {
        severity: 'warn',
        effect: 'the current client adds it; clients up to 2.1.150 put their next record on the same line',
      };
    case 'L-oversize':
      return { severity: 'loss', effect: 'it is kept as it is, and nothing reads it' };
    case 'L-surrogate':
      return {
        severity: 'warn',
        effect: `the current client replaces it; with ${clientsWithout('replacesSurrogates')} the API answers 400 to every request`,
      };
    case 'L-utf8':
      return { severity: 'warn', effect: 'the bytes are read as U+FFFD' };
    default:
      return { severity: 'info', effect: 'harmless: every client reads it' };
  }
}

/** Enough of what the reader could not read to see whether it was a message. */
const fragmentBytes = 4096;
