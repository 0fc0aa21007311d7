// A examined → findings about preserved thinking: blocks that the API would refuse, what the client has noted about blocks
// that are gone, and a system prompt that nothing pins any more.
import { asObject, asString } from '../../base/json/json.ts';
import { isVersionSince, isWrittenByClew } from '../../session/facts/prompt-origin.ts';
import { countingSnapshot } from '../../session/resume/request/full-request.ts';
import type { Node } from '../../session/transcript/node.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type Finding, makeFinding, type Severity } from './finding.ts';
import { firstWithSnapshot } from './recorded-prompt.ts';
import { findUnbound, holdsThinking, sentThinking } from './thinking-bound.ts';

export function checkThinking(examined: ExaminedSession): Finding[] {
  const chain = [...examined.chain];
  if (examined.session.isAgent || !chain.some((node) => holdsThinking(node) || isNote(node))) return [];
  return [...unboundFindings(examined, chain), ...promptFindings(examined, chain), ...noteFindings(examined, chain)];
}

function isNote({ type, subtype }: Node): boolean {
  return type === 'attachment' && (subtype === 'thinking_drop' || subtype === 'thinking_stripped');
}

function unboundFindings(examined: ExaminedSession, chain: readonly Node[]): Finding[] {
  const unbound = findUnbound(examined.session, chain);
  if (unbound === undefined) return [];
  const { kind, why, first, blocks, isOldClient } = unbound;
  const count = blocks === 1 ? '1 thinking block is' : `${blocks} thinking blocks are`;
  const others =
    isOldClient === true ? 'with the client that wrote it nothing' : 'clients up to 2.1.150 fail every time';
  const effect = `the first request fails once (\`bound to a different conversation\`), then ${count} gone; ${others}`;
  const code = kind === 'hole' ? 'A-thinking-hole' : 'A-thinking-bound';
  const severity = isOldClient === true ? 'loss' : severityFor(examined, chain);
  return [makeFinding(code, severity, findingPlace(examined, first), why, effect)];
}

/** A client that is too old to recover never gets past the error. */
function severityFor({ session }: ExaminedSession, chain: readonly Node[]): Severity {
  const last = chain.findLast(({ type }) => type === 'assistant');
  const version = last === undefined ? undefined : asString(session.transcript.read(last).version);
  return version !== undefined && !isVersionSince(version, firstRecovering) ? 'fatal' : 'loss';
}

const firstRecovering = [2, 1, 151] as const;

function promptFindings(examined: ExaminedSession, chain: readonly Node[]): Finding[] {
  const { transcript } = examined.session;
  const last = sentThinking(chain).at(-1);
  if (last === undefined) return [];
  const entry = transcript.read(last);
  if (isWrittenByClew(entry)) {
    const own = "Clew's agent made the last thinking, with a system prompt of its own";
    const effect = 'Clew goes on with it; Claude Code is refused once and goes on without it';
    return [makeFinding('W-prompt-lost', 'info', findingPlace(examined, last), own, effect)];
  }
  if (!isVersionSince(asString(entry.version), firstWithSnapshot)) return [];
  if (countingSnapshot(chain, (node) => transcript.read(node)) !== undefined) return [];
  const message = 'no snapshot on the chain pins the system prompt that its thinking is bound to';
  const effect =
    'in the same folder and with the same client nothing; after a move or an update the API refuses the thinking';
  return [makeFinding('W-prompt-lost', 'warn', findingPlace(examined, last), message, effect)];
}

function noteFindings(examined: ExaminedSession, chain: readonly Node[]): Finding[] {
  const { transcript } = examined.session;
  const mark = chain.findLast(({ type, subtype }) => type === 'attachment' && subtype === 'thinking_stripped');
  return chain.filter(isNote).flatMap((node) => {
    if (node.subtype === 'thinking_drop') {
      const dropped = asObject(asObject(transcript.read(node).attachment)?.newlyDropped);
      const count = typeof dropped?.blockCount === 'number' ? dropped.blockCount : 0;
      const message = `the API dropped ${count} thinking blocks here (${asString(dropped?.reason) ?? 'no reason given'})`;
      return [
        makeFinding(
          'I-thinking-dropped',
          'info',
          findingPlace(examined, node),
          message,
          'the model went on without them',
        ),
      ];
    }
    if (node !== mark) return [];
    const hidden = chain.slice(0, chain.indexOf(node)).filter(holdsThinking);
    const blocks = hidden.flatMap((line) => line.message?.blockTypes.filter((type) => type.endsWith('thinking')) ?? []);
    const message = `a mark keeps the ${blocks.length} thinking blocks before it from being sent`;
    const effect = 'they stay readable in the file; clients before 2.1.260 do not know the mark and send them';
    return [makeFinding('I-thinking-stripped', 'info', findingPlace(examined, node), message, effect)];
  });
}
