// The lazy look at a line: one pass over its bytes finds what the graph, the turns and the counts need, and skips
// every string it does not need without decoding it. It checks the shape of the record, not the inside of strings
// and numbers: whoever must know that a line is JSON to the last byte parses it.
import { emptyHead, emptyMessage, type Head } from './head.ts';
import { skipString, skipValue, skipWhitespace } from './json-bytes.ts';
import { isNull, isTrue, key, memberEnd, nextMember, openBrace, quote, text } from './members.ts';
import { forgetTexts, foundText, prefixes, scanContent, scanForText, scanMessage } from './scan-message.ts';
import { isoTime } from './timestamp.ts';

/**
 * The head of a line that is one whole JSON object, else `undefined` (blank, torn, joined, not JSON): such a line is
 * for `recoverRecords`.
 */
export function scanRecord(bytes: Buffer): Head | undefined {
  const start = skipWhitespace(bytes, 0);
  if (bytes[start] !== openBrace) return undefined;
  const head = emptyHead();
  forgetTexts();
  const end = scanEntry(bytes, start, head);
  if (end < 0 || skipWhitespace(bytes, end) !== bytes.length) return undefined;
  if (head.type === 'user' || head.type === '') head.textPrefixes = prefixes(bytes);
  return head;
}

function scanEntry(bytes: Buffer, at: number, head: Head): number {
  let attachmentType: string | undefined;
  let i = at + 1;
  let contentAt = 0;
  for (let first = true; ; first = false) {
    const value = nextMember(bytes, i, first);
    if (value < 0) return -1;
    if (value === 0) break;
    const name = key(bytes);
    if (name === 'content') contentAt = value;
    if (name === 'message') {
      head.message = undefined;
      forgetTexts();
      i = bytes[value] === openBrace ? scanMessage(bytes, value, head) : skipValue(bytes, value);
    } else if (name === 'toolUseResult') {
      i = scanForText(bytes, value, 'agentId');
      head.resultAgentId = foundText;
    } else if (name === 'attachment') {
      i = scanForText(bytes, value, 'type');
      attachmentType = foundText;
    } else {
      i = bytes[value] === quote ? skipString(bytes, value) : skipValue(bytes, value);
      if (i > 0 && name !== '') setField(bytes, head, name, value, i);
    }
    if (i < 0) return -1;
  }
  const end = memberEnd;
  if (head.type === 'attachment') head.subtype = attachmentType ?? head.subtype;
  if (contentAt > 0) scanContentBeside(bytes, contentAt, head);
  return end;
}

/** The content of a user or assistant line that has no message. */
function scanContentBeside(bytes: Buffer, at: number, head: Head): void {
  if (head.message !== undefined || (head.type !== 'user' && head.type !== 'assistant')) return;
  const message = emptyMessage();
  scanContent(bytes, at, message);
  if (message.content !== 'string' && message.content !== 'blocks') return;
  message.content = 'beside';
  head.message = message;
}

function setField(bytes: Buffer, head: Head, name: string, start: number, end: number): void {
  switch (name) {
    case 'type':
      head.type = text(bytes, start, end) ?? '';
      return;
    case 'subtype':
      head.subtype = text(bytes, start, end);
      return;
    case 'uuid':
      head.uuid = text(bytes, start, end);
      return;
    case 'parentUuid':
      head.parentUuid = isNull(bytes, start) ? null : text(bytes, start, end);
      return;
    case 'logicalParentUuid':
      head.logicalParentUuid = text(bytes, start, end);
      return;
    case 'timestamp':
      head.time = bytes[start] === quote ? isoTime(bytes, start + 1, end - 1) : Number.NaN;
      return;
    case 'sessionId':
      head.sessionId = text(bytes, start, end);
      return;
    case 'agentId':
      head.agentId = text(bytes, start, end);
      return;
    case 'cwd':
      head.cwd = text(bytes, start, end);
      return;
    case 'version':
      head.version = text(bytes, start, end);
      return;
    case 'requestId':
      head.requestId = text(bytes, start, end);
      return;
    case 'leafUuid':
      head.leafUuid = text(bytes, start, end);
      return;
    case 'explicit':
      head.explicit = isTrue(bytes, start);
      return;
    case 'isSidechain':
      head.isSidechain = isTrue(bytes, start);
      return;
    case 'isMeta':
      head.isMeta = isTrue(bytes, start);
      return;
    case 'isCompactSummary':
      head.isCompactSummary = isTrue(bytes, start);
      return;
    case 'isApiErrorMessage':
      head.isApiErrorMessage = isTrue(bytes, start);
      return;
    case 'permissionMode':
      head.hasPermissionMode = !isNull(bytes, start);
      return;
  }
}
