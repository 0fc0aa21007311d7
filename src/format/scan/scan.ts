// The lazy scanner: one pass over the bytes of a line finds what the graph, the turns and the counts need, and decodes no
// other string. It checks the shape of the record, not the content of strings and numbers.
import { asBuffer } from '../../base/node/node-types.ts';
import { type Head, type InputHead, none } from './head.ts';
import { field } from './places.ts';
import { prefixes, scannedBlockTypes, scannedMessage } from './scan-message.ts';
import { isNull, isTrue, startOf, stringField, walkRecord } from './spans.ts';
import { timeOf } from './timestamp.ts';

/**
 * Reads the head of a record without parsing its content. Returns `undefined` if the line is not exactly one whole
 * JSON object.
 */
export function scanRecord(record: Uint8Array): Head | undefined {
  const bytes = asBuffer(record);
  return walkRecord(bytes) ? scannedHead(bytes) : undefined;
}

/** The head of the walked record. */
export function scannedHead(bytes: Buffer): Head {
  const type = stringField(bytes, field.type) ?? '';
  const attached = type === 'attachment' ? stringField(bytes, field.attachmentType) : undefined;
  return {
    type,
    subtype: attached ?? stringField(bytes, field.subtype),
    uuid: stringField(bytes, field.uuid),
    parentUuid: isNull(bytes, field.parentUuid) ? null : stringField(bytes, field.parentUuid),
    logicalParentUuid: stringField(bytes, field.logicalParentUuid),
    time: timeOf(bytes),
    sessionId: stringField(bytes, field.sessionId),
    agentId: stringField(bytes, field.agentId),
    cwd: stringField(bytes, field.cwd),
    version: stringField(bytes, field.version),
    requestId: stringField(bytes, field.requestId),
    leafUuid: stringField(bytes, field.leafUuid),
    explicit: isTrue(bytes, field.explicit),
    isSidechain: isTrue(bytes, field.isSidechain),
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    isApiErrorMessage: isTrue(bytes, field.isApiErrorMessage),
    hasPermissionMode: startOf(field.permissionMode) !== 0 && !isNull(bytes, field.permissionMode),
    resultAgentId: stringField(bytes, field.resultAgentId),
    message: scannedMessage(bytes),
    textPrefixes: type === 'user' || type === '' ? prefixes(bytes) : none,
  };
}

/** What determines the kind of input, of the walked record. */
export function scannedInput(bytes: Buffer): InputHead {
  return {
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    message: { blockTypes: scannedBlockTypes(bytes) },
    textPrefixes: prefixes(bytes),
  };
}
