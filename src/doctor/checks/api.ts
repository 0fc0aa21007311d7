// What a resume would send → findings about what the API rejects (A): fatal where the request itself breaks a rule,
// warn where only the stored lines do and the current client repairs them on the way.
import { checkImageRules, checkRequest, type Violation } from '../../api/rules/index.ts';
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { blocksOf, contentOf, noUsage, textOf } from '../../format/entry/index.ts';
import { readEntry } from '../../session/load/index.ts';
import { clientsWithout, syntheticModel } from '../../session/resume/client/index.ts';
import { callsOf, isMessage, type Node, noteImages, resultsOf } from '../../session/transcript/index.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type DamageCode, type Finding, makeFinding, type Severity } from './finding.ts';
import { traceRequest } from './requests.ts';

/** A violation of an API rule, with the line that causes it. */
export interface PlacedViolation extends Violation {
  readonly line: number;
  readonly uuid: string | undefined;
}

export interface ApiCheck {
  readonly findings: readonly Finding[];
  readonly violations: readonly PlacedViolation[];
}

/** By what the heads of the lines say; no content is read, but for the client's own error messages. */
export function checkHeads(examined: ExaminedSession): Finding[] {
  return [...checkStoredCalls(examined), ...checkErrors(examined)];
}

/** The request itself, and the stored blocks that it is made of. */
export function checkContent(examined: ExaminedSession): ApiCheck {
  const { session } = examined;
  if (session.isAgent) return { findings: [], violations: [] };
  const stored: Finding[] = [];
  const onRead = (node: Node, entry: JsonObject): void => {
    stored.push(...storedBlocks(examined, node, entry));
  };
  const request = traceRequest(session, probePrompt, onRead);
  // What is not loaded now is once the chain is repaired.
  for (const node of examined.lost) onRead(node, session.transcript.read(node, 'sent'));
  if (request === undefined) return { findings: stored, violations: [] };
  const { messages, model } = request;
  const isCounted = [...examined.chain].some((node) => promptTokens(node) > 0);
  const violations = checkRequest({ messages, model })
    // What the API counted when it gave the last answer is better than an estimate: it was not too long then.
    .filter((violation) => violation.isEstimate !== true || !isCounted)
    .map((violation) => ({ violation, node: request.originOf(violation.messageIndex, violation.blockIndex) }));
  const sent = violations.map(({ violation, node }) => findingOf(examined, violation, node));
  const reported = new Set(sent.map(({ code, offset }) => `${code} ${offset}`));
  return {
    findings: [...sent, ...stored.filter(({ code, offset }) => !reported.has(`${code} ${offset}`))],
    violations: violations.map(({ violation, node }) => ({ ...violation, line: node?.line ?? 0, uuid: node?.uuid })),
  };
}

function promptTokens({ message }: Node): number {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = message?.usage ?? noUsage;
  return inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
}

/** Only the images of the lines that begin at these offsets: each stands for itself, whatever else is sent. */
export function checkImages(examined: ExaminedSession, lines: readonly number[]): ApiCheck {
  const places = new Set(lines);
  const isPicture = ({ type }: Node): boolean => type === 'user' || type === 'attachment';
  const nodes = [...examined.chain].filter((node) => isPicture(node) && places.has(node.offset));
  if (nodes.length === 0) return { findings: [], violations: [] };
  const messages = nodes.map((node) => {
    const entry = examined.session.transcript.read(node);
    if (node.type === 'attachment') return { role: 'user', content: noteImages(entry) };
    return asObject(entry.message) ?? {};
  });
  const model = [...examined.chain].findLast((node) => node.type === 'assistant')?.message?.model;
  const found = checkImageRules({ messages, ...(model === undefined ? {} : { model }) });
  return {
    findings: found.map((violation) => findingOf(examined, violation, nodes[violation.messageIndex ?? -1])),
    violations: found.map((violation) => {
      const node = nodes[violation.messageIndex ?? -1];
      return { ...violation, line: node?.line ?? 0, uuid: node?.uuid };
    }),
  };
}

function findingOf(examined: ExaminedSession, violation: Violation, node: Node | undefined): Finding {
  const place = node === undefined ? { file: examined.file } : findingPlace(examined, node);
  const code = codeOf(violation.rule);
  return makeFinding(code, severityOf(violation), place, sentence(violation.message), effectOf(violation));
}

/** A request ends with what the user types next. */
const probePrompt = 'continue';

function severityOf({ isEstimate, isFormer }: Violation): Severity {
  return isEstimate === true || isFormer === true ? 'warn' : 'fatal';
}

function effectOf({ status, isEstimate, isFormer }: Violation): string {
  if (isEstimate === true) return 'by an estimate, the next request is too long for the model';
  if (isFormer === true) return `Anthropic takes it; other providers may answer ${status} to every request`;
  return `every request fails with ${status}`;
}

/** Without the API's own name of the place: the finding has a line. */
function sentence(message: string): string {
  return `the API answers: ${message.replace(/^messages(?:\.\d+)[\w.]*: /, '')}`;
}

function codeOf(rule: string): DamageCode {
  return codes[rule] ?? 'A-role-order';
}

/** Rules that are not listed are about order and form. */
const codes: Readonly<Record<string, DamageCode>> = {
  'unanswered-tool': 'A-unanswered-tool',
  'results-first': 'A-unanswered-tool',
  'orphan-result': 'A-orphan-result',
  'result-id': 'A-orphan-result',
  'tool-role': 'A-orphan-result',
  'duplicate-tool-id': 'A-duplicate-tool-id',
  'duplicate-result': 'A-duplicate-tool-id',
  'thinking-unsigned': 'A-thinking-altered',
  'thinking-signature': 'A-thinking-altered',
  'thinking-altered': 'A-thinking-altered',
  'redacted-thinking-data': 'A-thinking-altered',
  'thinking-first': 'A-thinking-altered',
  'thinking-last': 'A-thinking-last',
  'image-count': 'A-image-size',
  'image-type': 'A-image-size',
  'image-bytes': 'A-image-size',
  'image-unreadable': 'A-image-size',
  'image-mismatch': 'A-image-size',
  'image-pixels': 'A-image-size',
  'image-pixels-many': 'A-image-size',
  'empty-text': 'A-empty-text',
  'blank-text': 'A-empty-text',
  'trailing-space': 'A-empty-text',
  'request-bytes': 'A-too-long',
  'prompt-tokens': 'A-too-long',
  'lone-surrogate': 'L-surrogate',
};

function checkStoredCalls(examined: ExaminedSession): Finding[] {
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
    // No prompt follows: the run was cut off or is still at work, and every client can continue from there.
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

function checkErrors(examined: ExaminedSession): Finding[] {
  if (examined.session.isAgent) return [];
  const lines = [...(examined.refused === undefined ? examined.chain : examined.order)].filter(isMessage);
  const errors = lines.filter((node) => node.isApiError);
  const [first] = errors;
  if (first === undefined) return [];
  const sent = errors.find((node) => node.message?.model !== syntheticModel);
  const message = `${errors.length === 1 ? 'an error message' : `${errors.length} error messages`} of the client among the answers`;
  const effect =
    sent === undefined ? 'the client leaves them out of every request' : 'the model receives them as its own words';
  const echo = makeFinding(
    'A-error-echo',
    sent === undefined ? 'info' : 'warn',
    findingPlace(examined, sent ?? first),
    message,
    effect,
  );
  return [
    echo,
    ...tooLong(
      examined,
      lines.findLast((node) => node.type === 'assistant'),
    ),
  ];
}

function tooLong(examined: ExaminedSession, last: Node | undefined): Finding[] {
  if (last === undefined || !last.isApiError) return [];
  const text = textOf(contentOf(readEntry(examined.session, last)));
  if (!/prompt is too long|request_too_large|exceeds the maximum allowed number of bytes/i.test(text)) return [];
  const effect = 'every request fails with 400, and /compact may fail as well';
  return [
    makeFinding(
      'A-too-long',
      'fatal',
      findingPlace(examined, last),
      'the last answer says that the prompt is too long',
      effect,
    ),
  ];
}

function storedBlocks(examined: ExaminedSession, node: Node, entry: JsonObject): Finding[] {
  const content = asObject(entry.message)?.content;
  const blocks = blocksOf(content) as readonly JsonObject[]; // a block is a JSON object, whatever its type
  const findings: Finding[] = [];
  if (blocks.some((block) => block.type === 'text' && block.text === '')) {
    const effect = 'the current client leaves it out; clients up to 2.1.150 send it, and the API answers 400';
    findings.push(makeFinding('A-empty-text', 'warn', findingPlace(examined, node), 'an empty text block', effect));
  }
  if (node.type === 'assistant' && blocks.some(isUnsigned)) {
    const effect = 'it is left out of the request for now; sent back to its own model, the API answers 400';
    const message = 'thinking without its signature';
    findings.push(makeFinding('A-thinking-altered', 'warn', findingPlace(examined, node), message, effect));
  }
  return findings;
}

function isUnsigned(block: JsonObject): boolean {
  return block.type === 'thinking' && !asString(block.signature);
}
