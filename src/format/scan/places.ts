// The tables of the lazy scanner: which members of a record it notes, and in which objects. To add a member, add a key
// (keys.ts), a number and a line here.

/** In the order of their numbers, from 1; 0 is any other key. */
export const keyNames: readonly string[] = `
  type subtype uuid parentUuid logicalParentUuid timestamp sessionId agentId cwd version requestId leafUuid
  explicit isSidechain isMeta isCompactSummary isApiErrorMessage permissionMode message toolUseResult attachment id
  role model stop_reason usage parts content name tool_use_id is_error text input file_path input_tokens
  output_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation ephemeral_5m_input_tokens
  ephemeral_1h_input_tokens server_tool_use web_search_requests speed inference_geo service_tier iterations
  forkedFrom
`
  .trim()
  .split(/\s+/);
const longest = 27;

const tableSize = 4096;
const table = new Uint8Array(tableSize);
const spellings: readonly Uint8Array[] = keyNames.map((name) => Buffer.from(name));

for (const [i, name] of keyNames.entries()) {
  const slot = keySlot(Buffer.from(name), 0, name.length);
  if (table[slot] !== 0) throw new Error(`the key ${name} shares its slot with another: change keySlot`);
  table[slot] = i + 1;
}

/** The number of the key in [start, end), 0 for any other key. */
export function keyNumber(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length < 2 || length > longest) return 0;
  const found = table[keySlot(bytes, start, end)] as number;
  if (found === 0) return 0;
  const spelling = spellings[found - 1] as Uint8Array;
  if (spelling.length !== length) return 0;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== spelling[i]) return 0;
  return found;
}

/** The place of a key in the table; it depends on three of its bytes and its length. */
export function keySlot(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const first = bytes[start] as number; // all three are within the key
  const inner = bytes[start + (((length * 2) / 5) | 0)] as number;
  const last = bytes[end - 1] as number;
  return (length * 131 + first * 37 + inner * 11 + last * 5) & (tableSize - 1);
}

/** The noted members. Those of a nested object follow the object: see `insides`. */
export const field = {
  type: 1,
  subtype: 2,
  uuid: 3,
  parentUuid: 4,
  logicalParentUuid: 5,
  timestamp: 6,
  sessionId: 7,
  agentId: 8,
  cwd: 9,
  version: 10,
  requestId: 11,
  leafUuid: 12,
  explicit: 13,
  isSidechain: 14,
  isMeta: 15,
  isCompactSummary: 16,
  isApiErrorMessage: 17,
  permissionMode: 18,
  contentOnRecord: 19,
  attachment: 20,
  attachmentType: 21,
  toolUseResult: 22,
  resultAgentId: 23,
  message: 24,
  role: 25,
  messageId: 26,
  model: 27,
  stopReason: 28,
  parts: 29,
  content: 30,
  usage: 31,
  inputTokens: 32,
  outputTokens: 33,
  cacheReadTokens: 34,
  cacheWriteTokens: 35,
  speed: 36,
  inferenceGeo: 37,
  serviceTier: 38,
  iterations: 39,
  cacheCreation: 40,
  split5mTokens: 41,
  split1hTokens: 42,
  serverToolUse: 43,
  webSearches: 44,
  forkedFrom: 45,
  originSessionId: 46,
  blockType: 47,
  blockId: 48,
  blockName: 49,
  toolUseId: 50,
  isError: 51,
  text: 52,
  input: 53,
  filePath: 54,
} as const;
export const fieldCount = 55;

/** An object and its noted members. */
interface Place {
  /** The field that holds it, and the last field in it; 0 for the record itself. */
  readonly of: number;
  readonly last: number;
  /** Key → field. */
  readonly members: Readonly<Record<string, number>>;
}

const { type, subtype, uuid, parentUuid, logicalParentUuid, timestamp, sessionId, agentId, cwd, version } = field;
const { requestId, leafUuid, explicit, isSidechain, isMeta, isCompactSummary, isApiErrorMessage } = field;
const { permissionMode, attachment, toolUseResult, message, role, model, parts, content, usage, speed } = field;
const { forkedFrom } = field;

export const recordPlace = 0;
export const blockPlace = 1;
const places: readonly Place[] = [
  {
    of: 0,
    last: 0,
    members: {
      ...{ type, subtype, uuid, parentUuid, logicalParentUuid, timestamp, sessionId, agentId, cwd, version },
      ...{ requestId, leafUuid, explicit, isSidechain, isMeta, isCompactSummary, isApiErrorMessage, permissionMode },
      ...{ attachment, toolUseResult, message, forkedFrom, content: field.contentOnRecord },
    },
  },
  {
    of: 0,
    last: 0,
    members: {
      ...{ type: field.blockType, id: field.blockId, name: field.blockName, tool_use_id: field.toolUseId },
      ...{ is_error: field.isError, text: field.text, input: field.input },
    },
  },
  { of: attachment, last: field.attachmentType, members: { type: field.attachmentType } },
  { of: toolUseResult, last: field.resultAgentId, members: { agentId: field.resultAgentId } },
  {
    of: message,
    last: field.webSearches,
    members: { role, id: field.messageId, model, stop_reason: field.stopReason, parts, content, usage },
  },
  {
    of: usage,
    last: field.webSearches,
    members: {
      ...{ input_tokens: field.inputTokens, output_tokens: field.outputTokens, speed },
      ...{ cache_read_input_tokens: field.cacheReadTokens, cache_creation_input_tokens: field.cacheWriteTokens },
      ...{ cache_creation: field.cacheCreation, server_tool_use: field.serverToolUse },
      ...{ inference_geo: field.inferenceGeo, service_tier: field.serviceTier, iterations: field.iterations },
    },
  },
  {
    of: field.cacheCreation,
    last: field.split1hTokens,
    members: { ephemeral_5m_input_tokens: field.split5mTokens, ephemeral_1h_input_tokens: field.split1hTokens },
  },
  { of: field.serverToolUse, last: field.webSearches, members: { web_search_requests: field.webSearches } },
  { of: forkedFrom, last: field.originSessionId, members: { sessionId: field.originSessionId } },
  { of: field.input, last: field.filePath, members: { file_path: field.filePath } },
];

/** More than the number of keys. */
export const placeWidth = 64;
/** The field of a key in a place, 0 for other members. */
export const fields: Uint8Array = new Uint8Array(places.length * placeWidth);
/** The place of a field, and the last field in it; 0 for a field without members. */
export const insides: Uint8Array = new Uint8Array(fieldCount);
export const lastInside: Uint8Array = new Uint8Array(fieldCount);
for (const [place, { of, last, members }] of places.entries()) {
  for (const [name, number] of Object.entries(members))
    fields[place * placeWidth + keyNames.indexOf(name) + 1] = number;
  if (of === 0) continue;
  insides[of] = place;
  lastInside[of] = last;
}
// The content is scanned as a list of blocks.
lastInside[field.content] = field.content;
