// The lazy look at a line: one pass over its bytes finds what the graph, the turns and the counts need, and skips
// every string it does not need without decoding it. It checks the shape of the record, not the inside of strings
// and numbers: whoever must know that a line is JSON to the last byte parses it.
import { asBuffer } from '../base/node-types.ts';
import { type Head, type InputHead, none } from './head.ts';
import { field } from './places.ts';
import { prefixes, scannedBlockTypes, scannedMessage } from './scan-message.ts';
import { isNull, isTrue, startOf, textOf, walkRecord } from './spans.ts';
import { timeOf } from './timestamp.ts';

/**
 * Reads the head of a record without parsing its content. Returns `undefined` if the line is not exactly one whole
 * JSON object.
 */
export function scanRecord(record: Uint8Array): Head | undefined {
  const bytes = asBuffer(record);
  return walkRecord(bytes) ? scannedHead(bytes) : undefined;
}

/** The head of the record that `walkRecord` has just passed. */
export function scannedHead(bytes: Buffer): Head {
  const type = textOf(bytes, field.type) ?? '';
  const attached = type === 'attachment' ? textOf(bytes, field.attachmentType) : undefined;
  return {
    type,
    subtype: attached ?? textOf(bytes, field.subtype),
    uuid: textOf(bytes, field.uuid),
    parentUuid: isNull(bytes, field.parentUuid) ? null : textOf(bytes, field.parentUuid),
    logicalParentUuid: textOf(bytes, field.logicalParentUuid),
    time: timeOf(bytes),
    sessionId: textOf(bytes, field.sessionId),
    agentId: textOf(bytes, field.agentId),
    cwd: textOf(bytes, field.cwd),
    version: textOf(bytes, field.version),
    requestId: textOf(bytes, field.requestId),
    leafUuid: textOf(bytes, field.leafUuid),
    explicit: isTrue(bytes, field.explicit),
    isSidechain: isTrue(bytes, field.isSidechain),
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    isApiErrorMessage: isTrue(bytes, field.isApiErrorMessage),
    hasPermissionMode: startOf(field.permissionMode) !== 0 && !isNull(bytes, field.permissionMode),
    resultAgentId: textOf(bytes, field.resultAgentId),
    message: scannedMessage(bytes),
    textPrefixes: type === 'user' || type === '' ? prefixes(bytes) : none,
  };
}

/** What tells the kind of a user line, of the record that `walkRecord` has just passed. */
export function scannedInput(bytes: Buffer): InputHead {
  return {
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    message: { blockTypes: scannedBlockTypes(bytes) },
    textPrefixes: prefixes(bytes),
  };
}
