// What a resume would send → findings about what the API rejects (A): fatal where the request itself breaks a rule,
// warn where only the stored lines do and the current client repairs them on the way.
import { checkImageRules, checkRequest } from '../../api/rules/check-request.ts';
import type { Violation } from '../../api/rules/rule.ts';
import { asObject, type JsonObject } from '../../base/json/json.ts';
import { noUsage } from '../../format/entry/usage.ts';
import type { Node } from '../../session/transcript/node.ts';
import { noteImages } from '../../session/transcript/note-images.ts';
import { type ExaminedSession, findingPlace } from './examined-session.ts';
import { type DamageCode, type Finding, makeFinding, type Severity } from './finding.ts';
import { traceRequest } from './requests.ts';
import { storedBlocks } from './stored-blocks.ts';
import { checkStoredCalls } from './stored-calls.ts';
import { checkErrors } from './stored-errors.ts';

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
  for (const node of examined.lost) onRead(node, session.transcript.read(node));
  if (request === undefined) return { findings: stored, violations: [] };
  const { messages, model } = request;
  const isCounted = [...examined.chain].some((node) => promptTokens(node) > 0);
  const violations = checkRequest({ messages, model })
    // What the API counted when it gave the last answer is better than an estimate: it was not too long then.
    .filter((violation) => violation.isEstimate !== true || !isCounted)
    .map((violation) => ({ violation, node: request.originOf(violation.messageIndex, violation.blockIndex) }));
  const sent = violations.map(({ violation, node }) => findingOf(examined, violation, node));
  const told = new Set(sent.map(({ code, offset }) => `${code} ${offset}`));
  return {
    findings: [...sent, ...stored.filter(({ code, offset }) => !told.has(`${code} ${offset}`))],
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
