// The head of an entry, computed from its parsed value: what the scanner must find in the bytes. `textPrefixes`
// has the full texts; `withWholeTexts` cuts them like the scanner.
import assert from 'node:assert/strict';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { readUsage } from '../../src/format/entry/usage.ts';
import type { Head, MessageHead } from '../../src/format/scan/scan.ts';
import { kindOfText } from '../../src/session/transcript/node.ts';

export function referenceHead(entry: JsonObject): Head {
  const isAttachment = entry.type === 'attachment';
  const attachmentType = asString(asObject(entry.attachment)?.type);
  return {
    type: asString(entry.type) ?? '',
    subtype: (isAttachment ? attachmentType : undefined) ?? asString(entry.subtype),
    uuid: asString(entry.uuid),
    parentUuid: entry.parentUuid === null ? null : asString(entry.parentUuid),
    logicalParentUuid: asString(entry.logicalParentUuid),
    time: typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN,
    sessionId: asString(entry.sessionId),
    agentId: asString(entry.agentId),
    cwd: asString(entry.cwd),
    version: asString(entry.version),
    requestId: asString(entry.requestId),
    leafUuid: asString(entry.leafUuid),
    explicit: entry.explicit === true,
    isSidechain: entry.isSidechain === true,
    isMeta: entry.isMeta === true,
    isCompactSummary: entry.isCompactSummary === true,
    isApiErrorMessage: entry.isApiErrorMessage === true,
    hasPermissionMode: entry.permissionMode !== undefined && entry.permissionMode !== null,
    resultAgentId: asString(asObject(entry.toolUseResult)?.agentId),
    message: isObject(entry.message) ? referenceMessage(entry.message) : messageBeside(entry),
    textPrefixes: mayBeUser(entry) ? textsOf(contentOf(entry)) : [],
  };
}

/** Content on the entry itself, if a user or assistant line has no message (seed 002). */
function messageBeside(entry: JsonObject): MessageHead | undefined {
  if (entry.type !== 'user' && entry.type !== 'assistant') return undefined;
  const message = referenceMessage({ content: entry.content });
  return message.content === 'string' || message.content === 'blocks'
    ? { ...message, content: 'on-record' }
    : undefined;
}

function contentOf(entry: JsonObject): JsonValue | undefined {
  if (isObject(entry.message)) return entry.message.content;
  return messageBeside(entry) === undefined ? undefined : entry.content;
}

/** Only texts that the user may have typed are checked. */
function mayBeUser(entry: JsonObject): boolean {
  return entry.type === 'user' || (asString(entry.type) ?? '') === '';
}

/** The scanner's head with whole texts for its prefixes, which must be long enough to determine the kind of an input. */
export function withWholeTexts(head: Head | undefined, expected: Head): Head | undefined {
  if (head === undefined || head.textPrefixes.length !== expected.textPrefixes.length) return head;
  for (const [index, prefix] of head.textPrefixes.entries()) {
    const text = expected.textPrefixes[index] ?? '';
    assert.ok(text.startsWith(prefix), `${JSON.stringify(prefix)} begins ${JSON.stringify(text)}`);
    if (Buffer.byteLength(JSON.stringify(text)) * 6 <= 64) assert.equal(prefix, text);
    assert.equal(kindOfText(prefix), kindOfText(text));
  }
  return { ...head, textPrefixes: expected.textPrefixes };
}

function referenceMessage(message: JsonObject): MessageHead {
  const elements = isArray(message.content) ? message.content : [];
  const blocks = elements.filter(isObject);
  return {
    role: asString(message.role),
    id: asString(message.id),
    model: asString(message.model),
    stopReason: asString(message.stop_reason),
    usage: readUsage(message.usage),
    content: contentKind(message.content),
    blockTypes: blocks.map((block) => asString(block.type) ?? ''),
    calls: blocks.flatMap(({ type, id, name, input }) =>
      type === 'tool_use' && typeof id === 'string'
        ? [{ id, name: asString(name) ?? '', file: asString(asObject(input)?.file_path) }]
        : [],
    ),
    results: blocks.flatMap(({ type, tool_use_id: toolUseId, is_error: isError }) =>
      type === 'tool_result' && typeof toolUseId === 'string' ? [{ toolUseId, isError: isError === true }] : [],
    ),
    hasParts: message.parts !== undefined,
  };
}

function contentKind(content: JsonValue | undefined): MessageHead['content'] {
  if (typeof content === 'string') return 'string';
  if (isArray(content)) return content.every(isObject) ? 'blocks' : 'invalid';
  return isObject(content) ? 'invalid' : 'absent';
}

function textsOf(content: JsonValue | undefined): string[] {
  if (typeof content === 'string') return [content];
  const blocks = isArray(content) ? content.filter(isObject) : [];
  return blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
}
