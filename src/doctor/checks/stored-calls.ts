// Calls and results as they are stored → findings, whether or not a resume repairs them: pairs that are not pairs, and
// answers that end in thinking. Heads are enough for all of it.

import { clientsWithout } from '../../session/resume/client/client-rules.ts';
import { callsOf, type Node, resultsOf } from '../../session/transcript/node.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type Finding, makeFinding } from './finding.ts';

export function checkStoredCalls(examined: ExaminedSession): Finding[] {
  if (examined.session.isAgent) return [];
  const lines = examined.entries;
  return [
    ...unanswered(examined, lines),
    ...orphans(examined, lines),
    ...duplicates(examined, lines),
    ...thinkingLast(examined, lines),
  ];
}

function unanswered(examined: ExaminedSession, lines: readonly Node[]): Finding[] {
  const { relatives } = examined.session;
  const lastPrompt = lines.findLastIndex((node) => node.type === 'user' && resultsOf(node).length === 0);
  return lines.flatMap((node, i) => {
    const open = callsOf(node).filter((call) => relatives.resultsFor(call.id).length === 0);
    if (open.length === 0) return [];
    const names = open.map((call) => `${call.name} (${call.id})`).join(', ');
    // Nothing was said since: the run was cut off, or is still at work, and every client can go on from there.
    const severity = i > lastPrompt ? 'info' : 'warn';
    const isWhole = open.length === callsOf(node).length;
    const current = isWhole
      ? 'the current client leaves the line out, or at the end says that it was interrupted'
      : 'the current client puts an error in its place';
    const effect = `${current}; sent as it is, the API answers 400`;
    return makeFinding('A-unanswered-tool', severity, findingPlace(examined, node), `no result for ${names}`, effect);
  });
}

function orphans(examined: ExaminedSession, lines: readonly Node[]): Finding[] {
  const { transcript } = examined.session;
  const made = new Set(transcript.nodes.flatMap((node) => callsOf(node).map((call) => call.id)));
  return lines.flatMap((node) => {
    const lone = resultsOf(node).filter((result) => !made.has(result.toolUseId));
    if (lone.length === 0) return [];
    const message = `no call ${lone.map((result) => result.toolUseId).join(', ')} for this result`;
    const effect = 'the current client removes it; sent as it is, the API answers 400';
    return makeFinding('A-orphan-result', 'warn', findingPlace(examined, node), message, effect);
  });
}

function duplicates(examined: ExaminedSession, lines: readonly Node[]): Finding[] {
  const calls = new Map<string, Node>();
  const results = new Map<string, Node>();
  const findings: Finding[] = [];
  const note = (seen: Map<string, Node>, id: string, node: Node, what: string): void => {
    const earlier = seen.get(id);
    if (earlier === undefined) {
      seen.set(id, node);
      return;
    }
    const message = `${what} ${id} is on line ${earlier.line} already`;
    const effect = `the current client keeps the first; ${clientsWithout('dropsRepeatedResults')} send both, and the API answers 400`;
    findings.push(makeFinding('A-duplicate-tool-id', 'warn', findingPlace(examined, node), message, effect));
  };
  for (const node of lines) {
    for (const { id } of callsOf(node)) note(calls, id, node, 'the call');
    for (const { toolUseId } of resultsOf(node)) note(results, toolUseId, node, 'the result for');
  }
  return findings;
}

/** An answer whose last block is thinking though it says something else too. */
function thinkingLast(examined: ExaminedSession, lines: readonly Node[]): Finding[] {
  const byMessage = new Map<string, Node[]>();
  for (const node of lines) {
    if (node.type !== 'assistant') continue;
    const id = node.message?.id ?? `line ${node.line}`;
    const known = byMessage.get(id);
    if (known === undefined) byMessage.set(id, [node]);
    else known.push(node);
  }
  return [...byMessage.values()].flatMap((nodes) => {
    const last = nodes.reduce((a, b) => (b.index > a.index ? b : a));
    const types = nodes.flatMap((node) => node.message?.blockTypes ?? []);
    if (!isThinking(last.message?.blockTypes.at(-1)) || types.every(isThinking)) return [];
    if (types.includes('tool_use')) return []; // calls are moved to the end
    const effect = 'where the thinking is sent, the API answers 400';
    return makeFinding('A-thinking-last', 'warn', findingPlace(examined, last), 'the answer ends in thinking', effect);
  });
}

function isThinking(type: string | undefined): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
