// src/surgery/source.ts
import path3 from "node:path";

// src/base/errors.ts
var exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3, bug: 70 };
var UserError = class extends Error {
  exitCode;
  /** `message` says what happened, `next` what to do about it; together they make one line. */
  constructor(message2, next, exitCode = exitCodes.usage) {
    super(next === "" ? message2 : `${message2}; ${next}`);
    this.name = "UserError";
    this.exitCode = exitCode;
  }
};
function systemErrorCode(error) {
  if (!(error instanceof Error) || !("code" in error)) return void 0;
  return typeof error.code === "string" ? error.code : void 0;
}

// src/library/archive/session-paths.ts
import { stat as stat2 } from "node:fs/promises";
import path2 from "node:path";

// src/session/agents.ts
import { readFileSync } from "node:fs";

// src/base/json.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isArray(value) {
  return Array.isArray(value);
}
function asString(value) {
  return typeof value === "string" ? value : void 0;
}
function asObject(value) {
  return isObject(value) ? value : void 0;
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}
function hasLoneSurrogate(value) {
  const left = [value];
  for (let next = left.pop(); next !== void 0; next = left.pop()) {
    if (typeof next === "string" && !next.isWellFormed()) return true;
    if (isArray(next)) for (const item of next) left.push(item);
    else if (isObject(next)) for (const [key, inner] of Object.entries(next)) left.push(key, inner);
  }
  return false;
}

// src/format/fields.ts
function keepsPromises(value, fields2) {
  if (!isObject(value)) return false;
  for (const key in fields2) {
    const field2 = fields2[key];
    if (typeof field2 === "string" ? !keepsKind(value[key], field2) : !keepsNested(value[key], field2)) return false;
  }
  return true;
}
function keepsKind(value, field2) {
  return !field2.endsWith("!") || isOfKind(value, field2.slice(0, -1));
}
function keepsNested(value, fields2) {
  return isObject(value) ? keepsPromises(value, fields2) : !promisesAnything(fields2);
}
function promisesAnything(fields2) {
  return Object.values(fields2).some(
    (field2) => typeof field2 === "string" ? field2.endsWith("!") : promisesAnything(field2)
  );
}
function isOfKind(value, kind) {
  switch (kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === kind;
    case "strings":
      return isArray(value) && value.every((element) => typeof element === "string");
    case "array":
      return isArray(value);
    case "object":
      return isObject(value);
    case "json":
      return value !== void 0;
  }
  return kind;
}

// src/format/block.ts
var blockFields = {
  text: { text: "string!", citations: "array" },
  thinking: { thinking: "string!", signature: "string" },
  redacted_thinking: { data: "string!" },
  tool_use: { id: "string!", name: "string!", input: "object", caller: { type: "string", tool_id: "string" } },
  tool_result: { tool_use_id: "string!", content: "json", is_error: "boolean" },
  image: { source: { type: "string!", media_type: "string", data: "string", url: "string", file_id: "string" } },
  document: {
    source: {
      type: "string!",
      media_type: "string",
      data: "string",
      url: "string",
      file_id: "string",
      content: "json"
    },
    title: "string",
    context: "string",
    citations: "object"
  },
  search_result: { source: "string", title: "string", content: "array", citations: "object" },
  tool_reference: { tool_name: "string!" },
  server_tool_use: { id: "string!", name: "string!", input: "object", caller: { type: "string", tool_id: "string" } },
  mcp_tool_use: { id: "string!", name: "string!", server_name: "string", input: "object" },
  mcp_tool_result: { tool_use_id: "string!", content: "json", is_error: "boolean" },
  web_search_tool_result: { tool_use_id: "string!", content: "json" },
  web_fetch_tool_result: { tool_use_id: "string!", content: "json" },
  code_execution_tool_result: { tool_use_id: "string!", content: "json" },
  bash_code_execution_tool_result: { tool_use_id: "string!", content: "json" },
  text_editor_code_execution_tool_result: { tool_use_id: "string!", content: "json" },
  tool_search_tool_result: { tool_use_id: "string!", content: "json" },
  container_upload: { file_id: "string!" },
  compaction: { content: "json" },
  fallback: { from: { model: "string" }, to: { model: "string" } }
};
function blocksOf(content2) {
  if (typeof content2 === "string") return [{ type: "text", text: content2 }];
  if (!isArray(content2)) return [];
  return content2.every(isObject) ? content2 : content2.filter(isObject);
}
function textOf(blocks2) {
  return blocks2.filter(isText).map((block) => block.text).join("\n");
}
function isBlock(block, ...types) {
  return types.some((type2) => block.type === type2 && keepsPromises(block, blockFields[type2]));
}
function isText(block) {
  return isBlock(block, "text");
}

// src/format/entry.ts
function asEntry(value) {
  return isObject(value) ? value : void 0;
}
function contentOf(entry) {
  const inMessage = messageOf(entry)?.content;
  return blocksOf(inMessage ?? entry.content);
}
function messageOf(entry) {
  const { message: message2 } = entry;
  return asObject(message2);
}

// src/format/head.ts
var none = [];
function append(list, item) {
  if (list === none) return [item];
  list.push(item);
  return list;
}

// src/format/keys.ts
var keyNames = [
  "type",
  "subtype",
  "uuid",
  "parentUuid",
  "logicalParentUuid",
  "timestamp",
  "sessionId",
  "agentId",
  "cwd",
  "version",
  "requestId",
  "leafUuid",
  "explicit",
  "isSidechain",
  "isMeta",
  "isCompactSummary",
  "isApiErrorMessage",
  "permissionMode",
  "message",
  "toolUseResult",
  "attachment",
  "id",
  "role",
  "model",
  "stop_reason",
  "usage",
  "parts",
  "content",
  "name",
  "tool_use_id",
  "is_error",
  "text",
  "input",
  "file_path",
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
  "ephemeral_5m_input_tokens",
  "ephemeral_1h_input_tokens",
  "server_tool_use",
  "web_search_requests",
  "speed"
];
var longest = 27;
var tableSize = 4096;
var table = new Uint8Array(tableSize);
var spellings = keyNames.map((name) => Buffer.from(name));
for (const [i, name] of keyNames.entries()) {
  const slot = slotOf(Buffer.from(name), 0, name.length);
  if (table[slot] !== 0) throw new Error(`the key ${name} shares its slot with another: change slotOf`);
  table[slot] = i + 1;
}
function keyNumber(bytes, start, end) {
  const length = end - start;
  if (length < 2 || length > longest) return 0;
  const found = table[slotOf(bytes, start, end)];
  if (found === 0) return 0;
  const spelling = spellings[found - 1];
  if (spelling.length !== length) return 0;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== spelling[i]) return 0;
  return found;
}
function slotOf(bytes, start, end) {
  const length = end - start;
  const first = bytes[start];
  const inner = bytes[start + (length * 2 / 5 | 0)];
  const last = bytes[end - 1];
  return length * 131 + first * 37 + inner * 11 + last * 5 & tableSize - 1;
}

// src/format/places.ts
var field = {
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
  contentBeside: 19,
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
  cacheCreation: 37,
  split5mTokens: 38,
  split1hTokens: 39,
  serverToolUse: 40,
  webSearches: 41,
  blockType: 42,
  blockId: 43,
  blockName: 44,
  toolUseId: 45,
  isError: 46,
  text: 47,
  input: 48,
  filePath: 49
};
var fieldCount = 50;
var { type, subtype, uuid, parentUuid, logicalParentUuid, timestamp, sessionId, agentId, cwd, version } = field;
var { requestId, leafUuid, explicit, isSidechain, isMeta, isCompactSummary, isApiErrorMessage } = field;
var { permissionMode, attachment, toolUseResult, message, role, model, parts, content, usage, speed } = field;
var recordPlace = 0;
var blockPlace = 1;
var places = [
  {
    of: 0,
    last: 0,
    members: {
      ...{ type, subtype, uuid, parentUuid, logicalParentUuid, timestamp, sessionId, agentId, cwd, version },
      ...{ requestId, leafUuid, explicit, isSidechain, isMeta, isCompactSummary, isApiErrorMessage, permissionMode },
      ...{ attachment, toolUseResult, message, content: field.contentBeside }
    }
  },
  {
    of: 0,
    last: 0,
    members: {
      ...{ type: field.blockType, id: field.blockId, name: field.blockName, tool_use_id: field.toolUseId },
      ...{ is_error: field.isError, text: field.text, input: field.input }
    }
  },
  { of: attachment, last: field.attachmentType, members: { type: field.attachmentType } },
  { of: toolUseResult, last: field.resultAgentId, members: { agentId: field.resultAgentId } },
  {
    of: message,
    last: field.webSearches,
    members: { role, id: field.messageId, model, stop_reason: field.stopReason, parts, content, usage }
  },
  {
    of: usage,
    last: field.webSearches,
    members: {
      ...{ input_tokens: field.inputTokens, output_tokens: field.outputTokens, speed },
      ...{ cache_read_input_tokens: field.cacheReadTokens, cache_creation_input_tokens: field.cacheWriteTokens },
      ...{ cache_creation: field.cacheCreation, server_tool_use: field.serverToolUse }
    }
  },
  {
    of: field.cacheCreation,
    last: field.split1hTokens,
    members: { ephemeral_5m_input_tokens: field.split5mTokens, ephemeral_1h_input_tokens: field.split1hTokens }
  },
  { of: field.serverToolUse, last: field.webSearches, members: { web_search_requests: field.webSearches } },
  { of: field.input, last: field.filePath, members: { file_path: field.filePath } }
];
var placeWidth = 64;
var fields = new Uint8Array(places.length * placeWidth);
var insides = new Uint8Array(fieldCount);
var lastInside = new Uint8Array(fieldCount);
for (const [place, { of, last, members }] of places.entries()) {
  for (const [name, number] of Object.entries(members))
    fields[place * placeWidth + keyNames.indexOf(name) + 1] = number;
  if (of === 0) continue;
  insides[of] = place;
  lastInside[of] = last;
}

// src/format/byte-memo.ts
var slots = 256;
var slotBytes = 96;
var copies = new Uint8Array(slots * slotBytes);
var lengths = new Int32Array(slots).fill(-1);
var texts = new Array(slots).fill("");
function recall(bytes, start, end) {
  const length = end - start;
  if (length > slotBytes || length < 2) return stringAt(bytes, start, end);
  const slot = length * 13 + bytes[end - 1] * 7 + bytes[end - 2] & slots - 1;
  const at = slot * slotBytes;
  if (lengths[slot] === length) {
    let i = length - 1;
    while (i >= 0 && copies[at + i] === bytes[start + i]) i--;
    if (i < 0) return texts[slot];
  }
  const text = stringAt(bytes, start, end);
  for (let i = 0; i < length; i++) copies[at + i] = bytes[start + i];
  lengths[slot] = length;
  texts[slot] = text;
  return text;
}
function stringAt(bytes, start, end) {
  const raw = bytes.toString("utf8", start, end);
  if (!raw.includes("\\")) return raw;
  const value = parseJson(`"${raw}"`);
  return typeof value === "string" ? value : raw;
}

// src/format/json-bytes.ts
var quote = 34;
var comma = 44;
var colon = 58;
var backslash = 92;
var openArray = 91;
var openObject = 123;
var closeObject = 125;
var toClosing = 2;
function skipValue(bytes, at, trace) {
  let open = shallow;
  let depth = 0;
  let closing = 0;
  let objectStart = -1;
  let objectEnd = -1;
  let position = skipWhitespace(bytes, at);
  value: for (; ; ) {
    const byte = bytes[position];
    if (byte === quote) {
      position = skipString(bytes, position);
      if (position === -1) position = failed(bytes.length);
    } else if (byte === openObject || byte === openArray) {
      if (depth === open.length) open = deeper(open);
      open[depth++] = position;
      closing = byte + toClosing;
      position = skipWhitespace(bytes, position + 1);
      if (bytes[position] !== closing) {
        if (byte === openObject) position = skipKey(bytes, position);
        if (position >= 0) continue;
      }
    } else {
      position = skipScalar(bytes, position);
    }
    while (position >= 0) {
      if (depth === 0) break value;
      position = skipWhitespace(bytes, position);
      const next = bytes[position];
      if (next === comma) {
        position = skipWhitespace(bytes, position + 1);
        if (closing === closeObject) position = skipKey(bytes, position);
        if (position >= 0) continue value;
      } else if (next === closing) {
        position++;
        depth--;
        if (closing === closeObject) {
          objectStart = open[depth];
          objectEnd = position;
        }
        if (depth > 0) closing = bytes[open[depth - 1]] + toClosing;
      } else {
        position = failed(position);
      }
    }
    break;
  }
  if (trace !== void 0) {
    trace.stoppedAt = position < 0 ? failed(position) : position;
    trace.objectStart = objectStart;
    trace.objectEnd = objectEnd;
  }
  return position < 0 ? -1 : position;
}
function skipWhitespace(bytes, at) {
  if (bytes[at] > 32) return at;
  let position = at;
  while (position < bytes.length && isWhitespace(bytes[position])) position++;
  return position;
}
function isWhitespace(byte) {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
function skipString(bytes, at) {
  let position = at + 1;
  const near = Math.min(position + nearBytes, bytes.length);
  while (position < near) {
    const byte = bytes[position];
    if (byte === quote) return position + 1;
    position += byte === backslash ? 2 : 1;
  }
  for (; ; ) {
    const end = bytes.indexOf(quote, position);
    if (end === -1) return -1;
    let slash = end;
    while (slash > position && bytes[slash - 1] === backslash) slash--;
    if ((end - slash & 1) === 0) return end + 1;
    position = end + 1;
  }
}
function findMember(bytes, objectAt, key) {
  const start = skipWhitespace(bytes, objectAt);
  if (bytes[start] !== openObject) return void 0;
  let keyStart = skipWhitespace(bytes, start + 1);
  if (bytes[keyStart] === closeObject) return void 0;
  let found;
  for (; ; ) {
    const valueStart = skipKey(bytes, keyStart);
    if (valueStart < 0) return void 0;
    const valueEnd = skipValue(bytes, valueStart);
    if (valueEnd === -1) return void 0;
    if (keyEquals(bytes, keyStart, key)) found = { keyStart, valueStart, valueEnd };
    const next = skipWhitespace(bytes, valueEnd);
    if (bytes[next] === closeObject) return found;
    if (bytes[next] !== comma) return void 0;
    keyStart = skipWhitespace(bytes, next + 1);
  }
}
function decodeString(bytes, at) {
  try {
    return JSON.parse(bytes.toString("utf8", at, skipString(bytes, at)));
  } catch {
    return void 0;
  }
}
function skipKey(bytes, at) {
  if (bytes[at] !== quote) return failed(at);
  const end = skipString(bytes, at);
  if (end === -1) return failed(bytes.length);
  const afterKey = skipWhitespace(bytes, end);
  return bytes[afterKey] === colon ? skipWhitespace(bytes, afterKey + 1) : failed(afterKey);
}
var nearBytes = 48;
var shallow = new Float64Array(256);
function deeper(open) {
  const grown = new Float64Array(open.length * 2);
  grown.set(open);
  return grown;
}
function failed(position) {
  return -1 - position;
}
var isScalarByte = new Uint8Array(256);
for (const char of "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  isScalarByte[char.charCodeAt(0)] = 1;
}
function skipScalar(bytes, at) {
  let position = at;
  while (position < bytes.length && isScalarByte[bytes[position]] === 1) position++;
  return position === at ? failed(at) : position;
}
function keyEquals(bytes, keyStart, key) {
  for (let index = 0; index < key.length; index++) {
    const byte = bytes[keyStart + 1 + index];
    if (byte === backslash || byte >= 128) return decodeString(bytes, keyStart) === key;
    if (byte === quote || byte !== key.charCodeAt(index)) return false;
  }
  return bytes[keyStart + 1 + key.length] === quote;
}

// src/format/spans.ts
var starts = new Int32Array(fieldCount);
var ends = new Int32Array(fieldCount);
var openBrace = 123;
var closeBrace = 125;
var openBracket = 91;
var closeBracket = 93;
var quote2 = 34;
var comma2 = 44;
var colon2 = 58;
var backslash2 = 92;
function walkRecord(bytes) {
  starts.fill(0);
  blockCount = strayCount = 0;
  isBeside = false;
  const start = skipWhitespace(bytes, 0);
  if (bytes[start] !== openBrace) return false;
  const end = walkObject(bytes, start, recordPlace);
  if (end < 0 || skipWhitespace(bytes, end) !== bytes.length) return false;
  if (starts[field.contentBeside] !== 0) lookBeside(bytes);
  return true;
}
function walkObject(bytes, at, place) {
  let i = at + 1;
  for (let first = true; ; first = false) {
    if (bytes[i] <= 32) i = skipWhitespace(bytes, i);
    if (bytes[i] === closeBrace) return i + 1;
    if (!first) {
      if (bytes[i] !== comma2) return -1;
      i++;
      if (bytes[i] <= 32) i = skipWhitespace(bytes, i);
    }
    if (bytes[i] !== quote2) return -1;
    const keyStart = ++i;
    let byte = bytes[i];
    while (byte !== quote2 && byte !== backslash2 && byte !== void 0) byte = bytes[++i];
    let number = 0;
    if (byte === quote2) number = keyNumber(bytes, keyStart, i);
    else {
      i = skipString(bytes, keyStart - 1) - 1;
      if (i < 0) return -1;
      number = escapedKey(bytes, keyStart, i);
    }
    i++;
    if (bytes[i] <= 32) i = skipWhitespace(bytes, i);
    if (bytes[i] !== colon2) return -1;
    i++;
    if (bytes[i] <= 32) i = skipWhitespace(bytes, i);
    const found = fields[place * placeWidth + number];
    const value = i;
    byte = bytes[value];
    if (byte === quote2) i = skipString(bytes, value);
    else if (byte !== openBrace && byte !== openBracket) i = skipScalar(bytes, value);
    else i = found === 0 ? skipValue(bytes, value) : walkInside(bytes, value, found);
    if (i < 0) return -1;
    if (found === 0) continue;
    if (byte !== openBrace && byte !== openBracket) forgetInside(found);
    starts[found] = value;
    ends[found] = i;
  }
}
function walkInside(bytes, at, found) {
  forgetInside(found);
  if (found === field.content) return bytes[at] === openBracket ? walkBlocks(bytes, at) : skipValue(bytes, at);
  const place = insides[found];
  return place === 0 || bytes[at] !== openBrace ? skipValue(bytes, at) : walkObject(bytes, at, place);
}
function forgetInside(found) {
  for (let i = found + 1; i <= lastInside[found]; i++) starts[i] = 0;
  if (found === field.content || found === field.message) blockCount = strayCount = 0;
}
function escapedKey(bytes, start, end) {
  const spelled = Buffer.from(stringAt(bytes, start, end));
  return keyNumber(spelled, 0, spelled.length);
}
var blockCount = 0;
var strayCount = 0;
var isBeside = false;
var blocks = new Int32Array(256);
var firstBlockField = field.blockType;
var blockWidth = 2 * (fieldCount - firstBlockField);
function walkBlocks(bytes, at) {
  let i = skipWhitespace(bytes, at + 1);
  if (bytes[i] === closeBracket) return i + 1;
  for (; ; ) {
    if (bytes[i] === openBrace) i = walkBlock(bytes, i);
    else {
      strayCount++;
      i = skipValue(bytes, i);
    }
    if (i < 0) return -1;
    i = skipWhitespace(bytes, i);
    if (bytes[i] === closeBracket) return i + 1;
    if (bytes[i] !== comma2) return -1;
    i = skipWhitespace(bytes, i + 1);
  }
}
function walkBlock(bytes, at) {
  for (let i = firstBlockField; i < fieldCount; i++) starts[i] = 0;
  const end = walkObject(bytes, at, blockPlace);
  let to = blockCount++ * blockWidth;
  if (to + blockWidth > blocks.length) blocks = doubled(blocks);
  for (let i = firstBlockField; i < fieldCount; i++) {
    blocks[to++] = starts[i];
    blocks[to++] = ends[i];
  }
  return end;
}
function doubled(list) {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
}
function lookBeside(bytes) {
  const at = starts[field.contentBeside];
  if (isObject2(bytes, field.message) || !isSpoken(textOf2(bytes, field.type))) return;
  if (bytes[at] === openBracket) walkBlocks(bytes, at);
  isBeside = strayCount === 0 && (bytes[at] === openBracket || bytes[at] === quote2);
  if (!isBeside) blockCount = strayCount = 0;
}
function isSpoken(kind) {
  return kind === "user" || kind === "assistant";
}
function selectBlock(index) {
  let from = index * blockWidth;
  for (let i = firstBlockField; i < fieldCount; i++) {
    starts[i] = blocks[from++];
    ends[i] = blocks[from++];
  }
}
function startOf(number) {
  return starts[number];
}
function endOf(number) {
  return ends[number];
}
function textOf2(bytes, number) {
  const start = starts[number];
  if (start === 0 || bytes[start] !== quote2) return void 0;
  return recall(bytes, start + 1, ends[number] - 1);
}
function textsOf(bytes, numbers, texts4) {
  for (let i = 0; i < numbers.length; i++) texts4[i] = textOf2(bytes, numbers[i]);
}
function isTrue(bytes, number) {
  const start = starts[number];
  return start !== 0 && bytes[start] === 116;
}
function isNull(bytes, number) {
  const start = starts[number];
  return start !== 0 && bytes[start] === 110;
}
function isString(bytes, number) {
  const start = starts[number];
  return start !== 0 && bytes[start] === quote2;
}
function isObject2(bytes, number) {
  const start = starts[number];
  return start !== 0 && bytes[start] === openBrace;
}

// src/format/usage.ts
var noUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  fast: false
};
function makeUsage(raw) {
  const written1h = raw.split1hTokens ?? 0;
  const written5m = raw.split5mTokens ?? Math.max(0, raw.cacheWriteTokens - written1h);
  return {
    inputTokens: raw.inputTokens,
    outputTokens: raw.outputTokens,
    cacheReadTokens: raw.cacheReadTokens,
    // The flat field is the sum of the two; some gateways send zeros in the split and the truth in the flat field.
    cacheWrite5mTokens: written5m === 0 && written1h === 0 ? raw.cacheWriteTokens : written5m,
    cacheWrite1hTokens: written1h,
    webSearches: raw.webSearches,
    fast: raw.fast
  };
}
function tokenCount(value) {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

// src/format/scan-usage.ts
function scannedUsage(bytes) {
  if (!isObject2(bytes, field.usage)) return void 0;
  for (let i = 0; i < countFields.length; i++) {
    const number = countFields[i];
    const start = startOf(number);
    counts[i] = start === 0 ? void 0 : count(bytes, start, endOf(number));
  }
  return makeUsage({
    inputTokens: counts[0] ?? 0,
    outputTokens: counts[1] ?? 0,
    cacheReadTokens: counts[2] ?? 0,
    cacheWriteTokens: counts[3] ?? 0,
    split5mTokens: counts[4],
    split1hTokens: counts[5],
    webSearches: counts[6] ?? 0,
    fast: startOf(field.speed) !== 0 && textOf2(bytes, field.speed) === "fast"
  });
}
var countFields = [
  ...[field.inputTokens, field.outputTokens, field.cacheReadTokens, field.cacheWriteTokens],
  ...[field.split5mTokens, field.split1hTokens, field.webSearches]
];
var counts = [];
function count(bytes, start, end) {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i] - 48;
    if (digit < 0 || digit > 9 || end - start > 15) return tokenCount(parseJson(bytes.toString("utf8", start, end)));
    value = value * 10 + digit;
  }
  return value;
}

// src/format/scan-message.ts
var openBrace2 = 123;
var openBracket2 = 91;
var quote3 = 34;
var backslash3 = 92;
function scannedMessage(bytes) {
  if (!isBeside && !isObject2(bytes, field.message)) return void 0;
  const message2 = {
    role: textOf2(bytes, field.role),
    id: textOf2(bytes, field.messageId),
    model: textOf2(bytes, field.model),
    stopReason: textOf2(bytes, field.stopReason),
    usage: scannedUsage(bytes),
    content: isBeside ? "beside" : contentKind(bytes),
    blockTypes: blockCount === 0 ? none : scannedBlockTypes(bytes),
    calls: none,
    results: none,
    hasParts: startOf(field.parts) !== 0
  };
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    const call = scannedCall(bytes);
    if (call !== void 0) message2.calls = append(message2.calls, call);
    const result = scannedResult(bytes);
    if (result !== void 0) message2.results = append(message2.results, result);
  }
  return message2;
}
function contentKind(bytes) {
  const at = startOf(field.content);
  if (at === 0) return "absent";
  const byte = bytes[at];
  if (byte === quote3) return "string";
  if (byte === openBracket2) return strayCount === 0 ? "blocks" : "invalid";
  return byte === openBrace2 ? "invalid" : "absent";
}
function scannedCall(bytes) {
  textsOf(bytes, callFields, texts2);
  const [type2, id, name, file2] = texts2;
  return type2 === "tool_use" && id !== void 0 ? { id, name: name ?? "", file: file2 } : void 0;
}
function scannedResult(bytes) {
  textsOf(bytes, resultFields, texts2);
  const [type2, toolUseId] = texts2;
  if (type2 !== "tool_result" || toolUseId === void 0) return void 0;
  return { toolUseId, isError: isTrue(bytes, field.isError) };
}
var callFields = [field.blockType, field.blockId, field.blockName, field.filePath];
var resultFields = [field.blockType, field.toolUseId];
var texts2 = [];
function scannedBlockTypes(bytes) {
  const types = [];
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    types.push(textOf2(bytes, field.blockType) ?? "");
  }
  return types;
}
function prefixes(bytes) {
  return textsBy(bytes, prefix);
}
function textsBy(bytes, read) {
  const whole = isBeside ? field.contentBeside : field.content;
  if (isString(bytes, whole)) return [read(bytes, startOf(whole) + 1, endOf(whole) - 1)];
  let found = none;
  for (let i = 0; i < blockCount; i++) {
    selectBlock(i);
    if (isString(bytes, field.text) && textOf2(bytes, field.blockType) === "text")
      found = append(found, read(bytes, startOf(field.text) + 1, endOf(field.text) - 1));
  }
  return found;
}
var prefixBytes = 64;
function prefix(bytes, start, end) {
  if (end - start <= prefixBytes) return stringAt(bytes, start, end);
  const isPlain = !isEscaped(bytes, start, start + prefixBytes);
  let cut = isPlain ? start + prefixBytes : Math.min(end, start + 6 * prefixBytes);
  while (cut > start && (bytes[cut] & 192) === 128) cut--;
  if (isPlain || cut === end) return stringAt(bytes, start, cut);
  const lastEscape = bytes.subarray(start, cut).lastIndexOf(backslash3);
  if (lastEscape >= 0 && lastEscape > cut - start - 6) cut = start + lastEscape;
  while (cut > start && bytes[cut - 1] === backslash3) cut--;
  return stringAt(bytes, start, cut);
}
function isEscaped(bytes, start, end) {
  for (let i = start; i < end; i++) if (bytes[i] === backslash3) return true;
  return false;
}

// src/format/timestamp.ts
function timeOf(bytes) {
  if (!isString(bytes, field.timestamp)) return Number.NaN;
  return isoTime(bytes, startOf(field.timestamp) + 1, endOf(field.timestamp) - 1);
}
function isoTime(bytes, start, end) {
  if (end - start === 24 && hasIsoMarks(bytes, start)) {
    const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
    const month = twoDigits(bytes, start + 5);
    const day = twoDigits(bytes, start + 8);
    const hour = twoDigits(bytes, start + 11);
    const minute = twoDigits(bytes, start + 14);
    const second = twoDigits(bytes, start + 17);
    const hundredths = twoDigits(bytes, start + 20);
    const last = bytes[start + 22] - zero;
    const lastDay = month >= 1 && month <= 12 ? monthDays[month] : 0;
    const isPlain = year >= 1970 && day >= 1 && day <= lastDay && hour < 24 && minute < 60;
    if (isPlain && hour >= 0 && minute >= 0 && second >= 0 && second < 60 && hundredths >= 0 && last >= 0 && last <= 9) {
      return dayTime(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1e3 + hundredths * 10 + last;
    }
  }
  return Date.parse(decodeString(bytes, start - 1) ?? "");
}
var zero = 48;
var monthDays = new Uint8Array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
function hasIsoMarks(bytes, at) {
  if (bytes[at + 4] !== 45 || bytes[at + 7] !== 45 || bytes[at + 10] !== 84) return false;
  if (bytes[at + 13] !== 58 || bytes[at + 16] !== 58) return false;
  return bytes[at + 19] === 46 && bytes[at + 23] === 90;
}
function twoDigits(bytes, at) {
  const tens = bytes[at] - zero;
  const ones = bytes[at + 1] - zero;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1e6 : tens * 10 + ones;
}
var knownDay = 0;
var knownDayTime = 0;
function dayTime(year, month, day) {
  const key = (year * 100 + month) * 100 + day;
  if (key !== knownDay) {
    knownDay = key;
    knownDayTime = Date.UTC(year, month - 1, day);
  }
  return knownDayTime;
}

// src/format/scan.ts
function scanRecord(bytes) {
  return walkRecord(bytes) ? scannedHead(bytes) : void 0;
}
function scannedHead(bytes) {
  const type2 = textOf2(bytes, field.type) ?? "";
  const attached = type2 === "attachment" ? textOf2(bytes, field.attachmentType) : void 0;
  return {
    type: type2,
    subtype: attached ?? textOf2(bytes, field.subtype),
    uuid: textOf2(bytes, field.uuid),
    parentUuid: isNull(bytes, field.parentUuid) ? null : textOf2(bytes, field.parentUuid),
    logicalParentUuid: textOf2(bytes, field.logicalParentUuid),
    time: timeOf(bytes),
    sessionId: textOf2(bytes, field.sessionId),
    agentId: textOf2(bytes, field.agentId),
    cwd: textOf2(bytes, field.cwd),
    version: textOf2(bytes, field.version),
    requestId: textOf2(bytes, field.requestId),
    leafUuid: textOf2(bytes, field.leafUuid),
    explicit: isTrue(bytes, field.explicit),
    isSidechain: isTrue(bytes, field.isSidechain),
    isMeta: isTrue(bytes, field.isMeta),
    isCompactSummary: isTrue(bytes, field.isCompactSummary),
    isApiErrorMessage: isTrue(bytes, field.isApiErrorMessage),
    hasPermissionMode: startOf(field.permissionMode) !== 0 && !isNull(bytes, field.permissionMode),
    resultAgentId: textOf2(bytes, field.resultAgentId),
    message: scannedMessage(bytes),
    textPrefixes: type2 === "user" || type2 === "" ? prefixes(bytes) : none
  };
}

// src/store/lines.ts
import { closeSync, openSync, readSync } from "node:fs";
var maxLineBytes = 256 * 1024 * 1024;
var defaultChunkBytes = 1024 * 1024;
var newline = 10;
function* readLines(path7, options = {}) {
  const file2 = openSync(path7, "r");
  const chunk = takeChunk(options.chunkBytes ?? defaultChunkBytes);
  try {
    yield* linesOf(file2, chunk, options);
  } finally {
    spareChunk = chunk;
    closeSync(file2);
  }
}
var spareChunk;
function takeChunk(size) {
  const spare = spareChunk;
  spareChunk = void 0;
  return spare?.length === size ? spare : Buffer.allocUnsafeSlow(size);
}
function* linesOf(file2, buffer, options) {
  const limit = options.maxLineBytes ?? maxLineBytes;
  const end = options.endOffset ?? Number.POSITIVE_INFINITY;
  let bufferOffset = options.from?.offset ?? 0;
  let number = options.from?.number ?? 1;
  let filled = 0;
  for (; ; ) {
    const room = Math.min(buffer.length - filled, end - bufferOffset - filled);
    const bytesRead = room > 0 ? readSync(file2, buffer, filled, room, bufferOffset + filled) : 0;
    options.onRead?.(bytesRead);
    const searchFrom = filled;
    filled += bytesRead;
    const batch = [];
    let start = 0;
    for (; ; ) {
      const at = buffer.indexOf(newline, Math.max(start, searchFrom));
      if (at < 0 || at >= filled) break;
      batch.push(line(buffer, bufferOffset, number++, start, at, true));
      start = at + 1;
    }
    if (bytesRead === 0) {
      if (start < filled) batch.push(line(buffer, bufferOffset, number, start, filled, false));
      if (batch.length > 0) yield batch;
      return;
    }
    if (batch.length > 0) yield batch;
    buffer.copyWithin(0, start, filled);
    bufferOffset += start;
    filled -= start;
    if (filled < buffer.length) continue;
    const lineEnd = findNewline(file2, bufferOffset + filled, end, options.onRead);
    const length = lineEnd.offset - bufferOffset;
    if (length > limit) {
      yield [
        {
          number: number++,
          offset: bufferOffset,
          length,
          bytes: buffer.subarray(0, filled),
          terminated: lineEnd.found
        }
      ];
      if (!lineEnd.found) return;
      bufferOffset = lineEnd.offset + 1;
      filled = 0;
      continue;
    }
    const held = takeLarge(length);
    const larger = held.subarray(0, length);
    buffer.copy(larger, 0, 0, filled);
    const rest = readFully(file2, larger, filled, bufferOffset + filled);
    options.onRead?.(rest);
    filled += rest;
    const terminated = lineEnd.found && filled === length;
    yield [line(larger, bufferOffset, number++, 0, filled, terminated)];
    if (!terminated) return;
    if (held.length <= keptLargeBytes) spareLarge = held;
    bufferOffset = lineEnd.offset + 1;
    filled = 0;
  }
}
var spareLarge;
var keptLargeBytes = 8 * 1024 * 1024;
function takeLarge(size) {
  const spare = spareLarge;
  spareLarge = void 0;
  if (spare !== void 0 && spare.length >= size) return spare;
  return Buffer.allocUnsafeSlow(size > keptLargeBytes ? size : Math.min(keptLargeBytes, 2 * size));
}
function line(buffer, bufferOffset, number, start, end, terminated) {
  return { number, offset: bufferOffset + start, length: end - start, bytes: buffer.subarray(start, end), terminated };
}
var searchChunk;
function findNewline(file2, from, end, onRead) {
  searchChunk ??= Buffer.allocUnsafeSlow(defaultChunkBytes);
  const chunk = searchChunk;
  for (let offset = from; ; ) {
    const bytesRead = readSync(file2, chunk, 0, Math.min(chunk.length, Math.max(0, end - offset)), offset);
    onRead?.(bytesRead);
    if (bytesRead === 0) return { offset, found: false };
    const at = chunk.subarray(0, bytesRead).indexOf(newline);
    if (at >= 0) return { offset: offset + at, found: true };
    offset += bytesRead;
  }
}
function readFully(file2, buffer, start, position) {
  let got = 0;
  while (start + got < buffer.length) {
    const bytesRead = readSync(file2, buffer, start + got, buffer.length - start - got, position + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return got;
}

// src/store/session-files.ts
import { stat } from "node:fs/promises";
import path from "node:path";

// src/store/folders.ts
import { readdir } from "node:fs/promises";
async function listFolder(folder, problems) {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => compareNames(a.name, b.name));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === void 0) throw error;
    if (code !== "ENOENT" && code !== "ENOTDIR") problems.push({ path: folder, code });
    return [];
  }
}
function compareNames(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// src/store/session-files.ts
var ProjectListings = class {
  #listings = /* @__PURE__ */ new Map();
  of(folder) {
    const listing = this.#listings.get(folder) ?? listProject(folder);
    this.#listings.set(folder, listing);
    return listing;
  }
};
async function listProject(folder) {
  const problems = [];
  const entries = await listFolder(folder, problems);
  const flatAgents = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(".jsonl") && agentIdOf(entry.name) !== void 0).map((entry) => path.join(folder, entry.name));
  return { names: new Set(entries.map((entry) => entry.name)), flatAgents, problems };
}
async function sessionFiles(mainPath, listings = new ProjectListings()) {
  const main = path.resolve(mainPath);
  const sessionId2 = path.basename(main, ".jsonl");
  const folder = path.join(path.dirname(main), sessionId2);
  const project = await listings.of(path.dirname(main));
  const flatAgents = project.flatAgents.filter((file2) => file2 !== main);
  const problems = [...project.problems];
  if (!project.names.has(sessionId2) && problems.length === 0)
    return { sessionId: sessionId2, main, folder, agents: [], flatAgents, journals: [], toolResults: [], problems };
  const subagents = path.join(folder, "subagents");
  const below = await filesBelow(subagents, problems);
  const [customTitle, archived] = await Promise.all(
    ["custom-title.json", "archived.json"].map((name) => existingFile(path.join(folder, name)))
  );
  return {
    sessionId: sessionId2,
    main,
    folder,
    agents: agentsAmong(below, subagents),
    flatAgents,
    journals: below.filter((file2) => path.basename(file2) === "journal.jsonl"),
    toolResults: await filesBelow(path.join(folder, "tool-results"), problems),
    ...customTitle === void 0 ? {} : { customTitle },
    ...archived === void 0 ? {} : { archived },
    problems
  };
}
function agentIdOf(fileName) {
  return /^agent-(.+?)(?:\.meta\.json|\.jsonl)$/.exec(path.basename(fileName))?.[1];
}
function agentsAmong(files, subagents) {
  const known = new Set(files);
  const agents = [];
  for (const file2 of files) {
    const agentId2 = file2.endsWith(".jsonl") ? agentIdOf(file2) : void 0;
    if (agentId2 === void 0) continue;
    const meta = `${file2.slice(0, -".jsonl".length)}.meta.json`;
    const workflow = workflowOf(path.relative(subagents, file2));
    agents.push({
      agentId: agentId2,
      path: file2,
      ...known.has(meta) ? { metaPath: meta } : {},
      ...workflow === void 0 ? {} : { workflow }
    });
  }
  return agents;
}
function workflowOf(relative) {
  const parts2 = relative.split(path.sep);
  const folders = parts2.slice(0, -1);
  const at = folders.indexOf("workflows");
  return at < 0 ? void 0 : folders[at + 1];
}
async function filesBelow(folder, problems) {
  const files = [];
  for (const entry of await listFolder(folder, problems)) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...await filesBelow(full, problems));
    else if (entry.isFile() || entry.isSymbolicLink() && await existingFile(full) !== void 0) files.push(full);
  }
  return files.sort(compareNames);
}
async function existingFile(file2) {
  try {
    return (await stat(file2)).isFile() ? file2 : void 0;
  } catch {
    return void 0;
  }
}

// src/session/input.ts
function classifyUser(head) {
  const blockTypes = head.message?.blockTypes ?? [];
  const texts4 = head.textPrefixes.filter((text) => !text.startsWith("<system-reminder>"));
  if (blockTypes.includes("tool_result")) {
    const isSaid2 = !head.isMeta && !head.isCompactSummary && texts4.some((text) => kindOfText(text) === "human");
    return { kind: "results", prompt: isSaid2 ? promptKind(texts4, blockTypes) : void 0 };
  }
  if (head.isMeta) return { kind: "injected", prompt: void 0 };
  if (head.isCompactSummary) return { kind: "summary", prompt: void 0 };
  const first = texts4[0];
  if (first === void 0) {
    if (blockTypes.includes("image")) return { kind: "human", prompt: "image" };
    if (blockTypes.includes("document")) return { kind: "human", prompt: "plain" };
    return { kind: head.textPrefixes.length > 0 ? "injected" : "human", prompt: void 0 };
  }
  const kind = kindOfText(first);
  if (kind === "command") return { kind, prompt: "slash-command" };
  return { kind, prompt: kind === "human" ? promptKind(texts4, blockTypes) : void 0 };
}
function kindOfText(text) {
  for (const [start, kind] of starts2) if (text.startsWith(start)) return kind;
  return "human";
}
var starts2 = [
  ["<command-name>", "command"],
  ["<command-message>", "command"],
  ["<local-command-stdout>", "local-output"],
  ["<local-command-stderr>", "local-output"],
  ["<local-command-caveat>", "local-output"],
  ["<bash-input>", "bash"],
  ["<bash-stdout>", "bash"],
  ["<bash-stderr>", "bash"],
  ["<task-notification>", "notification"],
  ["[Request interrupted by user", "interrupt"]
];
function promptKind(texts4, blockTypes) {
  if (texts4.some((text) => text.startsWith("<ide_selection>"))) return "ide-selection";
  if (texts4.some((text) => text.startsWith("<ide_opened_file>"))) return "ide-opened-file";
  return blockTypes.includes("image") ? "image" : "plain";
}

// src/session/node.ts
var Node = class {
  index;
  line;
  offset;
  length;
  type;
  subtype;
  uuid;
  parentUuid;
  /** Milliseconds since 1970, or `NaN`. */
  time;
  message;
  #flags;
  #origin;
  #input;
  #rare;
  constructor(head, place, shared, keepMessage) {
    this.index = place.index;
    this.line = place.line;
    this.offset = place.offset;
    this.length = place.length;
    this.type = shared.string(head.type === "" ? roleOf(head) : head.type) ?? "";
    this.subtype = shared.string(head.subtype);
    this.uuid = shared.string(head.uuid);
    this.parentUuid = head.parentUuid === null ? null : shared.string(head.parentUuid);
    this.time = head.time;
    this.message = head.message !== void 0 && keepMessage ? messageOf2(head.message, head.requestId, shared) : void 0;
    this.#flags = flagsOf(head, place);
    this.#origin = shared.origin(head);
    this.#input = this.type === "user" ? shared.input(classifyUser(head)) : void 0;
    this.#rare = rareOf(head);
  }
  get hidden() {
    return (this.#flags & hiddenFlag) !== 0;
  }
  get isSidechain() {
    return (this.#flags & sidechainFlag) !== 0;
  }
  get isMeta() {
    return (this.#flags & metaFlag) !== 0;
  }
  get isCompactSummary() {
    return (this.#flags & summaryFlag) !== 0;
  }
  get isApiError() {
    return (this.#flags & apiErrorFlag) !== 0;
  }
  get hasPermissionMode() {
    return (this.#flags & permissionModeFlag) !== 0;
  }
  /** Of a `last-prompt`: exactly this leaf is meant. */
  get explicit() {
    return (this.#flags & explicitFlag) !== 0;
  }
  /** A message line without content that the client can read stays in the graph, but is never sent. */
  get hasContent() {
    return (this.#flags & contentFlag) !== 0;
  }
  get sessionId() {
    return this.#origin.sessionId;
  }
  get agentId() {
    return this.#origin.agentId;
  }
  get cwd() {
    return this.#origin.cwd;
  }
  get version() {
    return this.#origin.version;
  }
  /** What a user line is; `undefined` for all other lines. */
  get userKind() {
    return this.#input?.kind;
  }
  /** Set where the line is a prompt that a person gave: such a line begins a turn. */
  get promptKind() {
    return this.#input?.prompt;
  }
  get logicalParentUuid() {
    return this.#rare?.logicalParentUuid;
  }
  get leafUuid() {
    return this.#rare?.leafUuid;
  }
  /** The sub-agent whose result this line brings. */
  get resultAgentId() {
    return this.#rare?.resultAgentId;
  }
};
var hiddenFlag = 1;
var sidechainFlag = 2;
var metaFlag = 4;
var summaryFlag = 8;
var apiErrorFlag = 16;
var permissionModeFlag = 32;
var explicitFlag = 64;
var contentFlag = 128;
function flagsOf(head, place) {
  const content2 = head.message?.content;
  return (
    // Without a type of its own (seed 002's form) a line is read by people only.
    (place.hidden || head.type === "" ? hiddenFlag : 0) | (head.isSidechain ? sidechainFlag : 0) | (head.isMeta ? metaFlag : 0) | (head.isCompactSummary ? summaryFlag : 0) | (head.isApiErrorMessage ? apiErrorFlag : 0) | (head.hasPermissionMode ? permissionModeFlag : 0) | (head.explicit ? explicitFlag : 0) | (content2 === "string" || content2 === "blocks" ? contentFlag : 0)
  );
}
function rareOf({ logicalParentUuid: logicalParentUuid2, leafUuid: leafUuid2, resultAgentId }) {
  const isEmpty2 = logicalParentUuid2 === void 0 && leafUuid2 === void 0 && resultAgentId === void 0;
  return isEmpty2 ? void 0 : { logicalParentUuid: logicalParentUuid2, leafUuid: leafUuid2, resultAgentId };
}
function messageOf2(head, requestId2, shared) {
  return {
    id: shared.string(head.id),
    requestId: shared.string(requestId2),
    model: shared.string(head.model),
    stopReason: shared.string(head.stopReason),
    usage: head.usage,
    blockTypes: shared.list(head.blockTypes),
    calls: head.calls,
    results: head.results
  };
}
function roleOf(head) {
  const role2 = head.message?.role;
  return role2 === "user" || role2 === "assistant" ? role2 : "";
}
var maxShared = 4096;
var SharedValues = class {
  #strings = /* @__PURE__ */ new Map();
  #lists = /* @__PURE__ */ new Map();
  #inputs = /* @__PURE__ */ new Map();
  #origin = { sessionId: void 0, agentId: void 0, cwd: void 0, version: void 0 };
  string(text) {
    if (text === void 0) return void 0;
    const known = this.#strings.get(text);
    if (known !== void 0) return known;
    if (this.#strings.size >= maxShared) this.#strings.clear();
    this.#strings.set(text, text);
    return text;
  }
  /** Nearly all lists have one item; only those are worth sharing. */
  list(texts4) {
    const [only] = texts4;
    return only === void 0 || texts4.length > 1 ? texts4 : share(this.#lists, only, texts4);
  }
  input(input) {
    return share(this.#inputs, `${input.kind} ${input.prompt}`, input);
  }
  /** Neighbouring lines nearly always have the same one. */
  origin({ sessionId: sessionId2, agentId: agentId2, cwd: cwd2, version: version2 }) {
    const last = this.#origin;
    if (last.sessionId !== sessionId2 || last.agentId !== agentId2 || last.cwd !== cwd2 || last.version !== version2) {
      this.#origin = { sessionId: sessionId2, agentId: agentId2, cwd: cwd2, version: version2 };
    }
    return this.#origin;
  }
};
function share(known, key, value) {
  const found = known.get(key);
  if (found !== void 0) return found;
  if (known.size >= maxShared) known.clear();
  known.set(key, value);
  return value;
}
function isMessage(node) {
  return node.type === "user" || node.type === "assistant";
}
function isNote(node) {
  return node.type === "system" || node.type === "attachment";
}
function isBoundary(node) {
  return node.type === "system" && node.subtype === "compact_boundary";
}
function callsOf(node) {
  return node.type === "assistant" ? node.message?.calls ?? [] : [];
}
function resultsOf(node) {
  return node.type === "user" ? node.message?.results ?? [] : [];
}

// src/session/graph.ts
function buildGraph(nodes) {
  const diagnostics = [];
  const byUuid = indexByUuid(nodes, diagnostics);
  const parents = findParents(nodes, byUuid, diagnostics);
  cutCycles(nodes, parents, diagnostics);
  return {
    diagnostics,
    parentOf: (node) => nodes[parents[node.index] ?? none2],
    byUuid: (uuid2) => uuid2 === void 0 ? void 0 : byUuid.get(uuid2),
    isReplaced: (node) => node.uuid !== void 0 && byUuid.get(node.uuid) !== node
  };
}
function isLinked(node) {
  return node.uuid !== void 0 || isMessage(node);
}
var none2 = -1;
function indexByUuid(nodes, diagnostics) {
  const byUuid = /* @__PURE__ */ new Map();
  for (const node of nodes) {
    if (node.uuid === void 0) continue;
    const earlier = byUuid.get(node.uuid);
    if (earlier !== void 0) {
      diagnostics.push(
        about(node, "G-duplicate-uuid", `line ${earlier.line} has the same uuid; a resume reads this one`)
      );
    }
    byUuid.set(node.uuid, node);
  }
  return byUuid;
}
function findParents(nodes, byUuid, diagnostics) {
  const parents = new Int32Array(nodes.length).fill(none2);
  const before = /* @__PURE__ */ new Map();
  const begun = /* @__PURE__ */ new Set();
  for (const node of nodes) {
    if (!isLinked(node)) continue;
    const lane = laneOf(node);
    const previous = before.get(lane);
    const named = typeof node.parentUuid === "string" ? byUuid.get(node.parentUuid) : void 0;
    const message2 = node.type === "assistant" && node.message?.id ? `${lane} ${node.message.id}` : void 0;
    const isBegun = message2 !== void 0 && begun.has(message2);
    const parent = named ?? standIn(node, previous, byUuid, isBegun);
    if (parent !== void 0) parents[node.index] = parent.index;
    if (typeof node.parentUuid === "string" && named === void 0) {
      const where = previous === void 0 ? "nothing stands before it" : `read on from line ${previous.line}`;
      diagnostics.push(about(node, "G-phantom-parent", `its parent is not in the file; ${where}`));
    }
    before.set(lane, node);
    if (message2 !== void 0) begun.add(message2);
  }
  return parents;
}
function laneOf(node) {
  return node.isSidechain ? `agent ${node.agentId ?? ""}` : "main";
}
function standIn(node, previous, byUuid, isBegun) {
  if (typeof node.parentUuid === "string" || node.uuid === void 0) return previous;
  if (isBoundary(node)) return byUuid.get(node.logicalParentUuid ?? "") ?? previous;
  return node.isCompactSummary || isBegun ? previous : void 0;
}
function cutCycles(nodes, parents, diagnostics) {
  const done = new Uint8Array(nodes.length);
  for (let start = 0; start < nodes.length; start++) {
    const way = [];
    let at = start;
    while (at !== none2 && done[at] === 0) {
      done[at] = 1;
      way.push(at);
      at = parents[at] ?? none2;
    }
    if (at !== none2 && done[at] === 1) {
      const youngest = way.slice(way.indexOf(at)).reduce((most, index) => Math.max(most, index));
      parents[youngest] = none2;
      diagnostics.push(
        about(nodes[youngest], "G-cycle", "its parents lead back to itself; the chain is cut here")
      );
    }
    for (const index of way) done[index] = 2;
  }
}
function about(node, code, message2) {
  return { code, line: node.line, offset: node.offset, message: message2 };
}

// src/session/agents.ts
function findAgents(files, main, graph, isAgent) {
  const byResult = /* @__PURE__ */ new Map();
  for (const node of main.nodes) {
    const call = node.message?.results[0];
    if (node.resultAgentId !== void 0 && call !== void 0) byResult.set(node.resultAgentId, call.toolUseId);
  }
  const filed = files.agents.map((file2) => ({ ...file2, meta: readMeta(file2.metaPath) }));
  const flat = files.flatAgents.filter((path7) => ownerOf(path7) === files.sessionId).map((path7) => ({ agentId: agentIdOf(path7) ?? "", path: path7, meta: void 0, workflow: void 0 }));
  const separate = [...filed, ...flat].map(({ agentId: agentId2, path: path7, meta, workflow }) => ({
    agentId: agentId2,
    path: path7,
    nodes: [],
    agentType: asString(meta?.agentType),
    description: asString(meta?.description),
    toolUseId: asString(meta?.toolUseId) ?? byResult.get(agentId2),
    workflow
  }));
  return [...linkByPrompt(separate, main, isAgent), ...isAgent ? [] : inlineAgents(main, graph)];
}
function agentsStartedBy(transcript, agents) {
  const calls2 = new Set(transcript.nodes.flatMap((node) => callsOf(node).map((call) => call.id)));
  if (calls2.size === 0) return [];
  const others = agents.filter((agent) => agent.path !== transcript.path);
  return linkByPrompt(others, transcript, true).filter(
    ({ toolUseId }) => toolUseId !== void 0 && calls2.has(toolUseId)
  );
}
function linkByPrompt(agents, transcript, isAgent) {
  if (agents.every((agent) => agent.toolUseId !== void 0)) return agents;
  const taken = new Set(agents.map((agent) => agent.toolUseId));
  const byPrompt = callsByPrompt(taskCalls(transcript, isAgent).filter((call) => !taken.has(call.id)));
  if (byPrompt.size === 0) return agents;
  return agents.map((agent) => {
    if (agent.toolUseId !== void 0 || agent.path === void 0) return agent;
    const call = byPrompt.get(openingOf(agent.path)?.prompt ?? "")?.shift();
    if (call === void 0) return agent;
    const { agentType = call.agentType, description = call.description } = agent;
    return { ...agent, agentType, description, toolUseId: call.id };
  });
}
function callsByPrompt(calls2) {
  const byPrompt = /* @__PURE__ */ new Map();
  for (const call of calls2) {
    if (call.prompt === void 0 || call.prompt === "") continue;
    const same = byPrompt.get(call.prompt);
    if (same === void 0) byPrompt.set(call.prompt, [call]);
    else same.push(call);
  }
  return byPrompt;
}
function readMeta(path7) {
  if (path7 === void 0) return void 0;
  try {
    return asObject(parseJson(readFileSync(path7, "utf8")));
  } catch {
    return void 0;
  }
}
var owners = /* @__PURE__ */ new Map();
function ownerOf(path7) {
  const known = owners.get(path7);
  if (known !== void 0) return known;
  const owner = openingOf(path7)?.sessionId;
  if (owner !== void 0) owners.set(path7, owner);
  return owner;
}
function openingOf(path7) {
  try {
    for (const batch of readLines(path7, { chunkBytes: 64 * 1024 })) {
      for (const line2 of batch) {
        const sessionId2 = scanRecord(line2.bytes)?.sessionId;
        if (sessionId2 === void 0) continue;
        return { sessionId: sessionId2, prompt: textOf(contentOf(asEntry(parseJson(line2.bytes.toString("utf8"))) ?? {})) };
      }
    }
  } catch {
    return void 0;
  }
  return void 0;
}
function inlineAgents(main, graph) {
  const chains = sideChains(main, graph);
  if (chains.size === 0) return [];
  const byPrompt = callsByPrompt(taskCalls(main, false));
  return [...chains].map(([root, nodes], i) => {
    const calls2 = byPrompt.get(textOf(contentOf(asEntry(main.read(root)) ?? {})));
    const call = calls2?.[0] !== void 0 && calls2[0].node.index < root.index ? calls2.shift() : void 0;
    return {
      agentId: root.agentId ?? `inline-${i + 1}`,
      path: void 0,
      nodes,
      agentType: call?.agentType,
      description: call?.description,
      toolUseId: call?.id,
      workflow: void 0
    };
  });
}
function sideChains(main, graph) {
  const rootOf = /* @__PURE__ */ new Map();
  const chains = /* @__PURE__ */ new Map();
  for (const node of main.nodes) {
    if (!node.isSidechain || !isLinked(node)) continue;
    const way = [];
    let at = node;
    for (; at?.isSidechain && !rootOf.has(at); at = graph.parentOf(at)) way.push(at);
    const root = (at?.isSidechain ? rootOf.get(at) : void 0) ?? way.at(-1) ?? node;
    for (const each of way) rootOf.set(each, root);
    const chain = chains.get(root);
    if (chain === void 0) chains.set(root, [node]);
    else chain.push(node);
  }
  return new Map([...chains].filter(([, nodes]) => nodes.some(isMessage)));
}
function taskCalls(main, isAgent) {
  const calls2 = [];
  for (const node of main.nodes) {
    if (node.isSidechain && !isAgent) continue;
    if (!callsOf(node).some((call) => call.name === "Task" || call.name === "Agent")) continue;
    for (const block of contentOf(asEntry(main.read(node)) ?? {})) {
      const input = asObject(block.type === "tool_use" ? block.input : void 0);
      const id = asString(block.id);
      if (input === void 0 || id === void 0) continue;
      calls2.push({
        id,
        node,
        prompt: asString(input.prompt),
        description: asString(input.description),
        agentType: asString(input.subagent_type)
      });
    }
  }
  return calls2;
}

// src/library/archive/session-paths.ts
async function sessionPaths(main, problems, isKnownAgent = () => void 0) {
  const files = await sessionFiles(main);
  problems.push(...files.problems);
  const folder = path2.dirname(files.main);
  const flat = files.flatAgents.filter(
    (file2) => isKnownAgent(path2.basename(file2)) ?? ownerOf(file2) === files.sessionId
  );
  const side = await filesBelow2(files.folder, problems);
  const found = [];
  for (const file2 of [files.main, ...[...flat, ...side].sort(compareNames)]) {
    const stats = await statFile(file2, problems);
    const name = path2.relative(folder, file2).split(path2.sep).join("/");
    if (stats !== void 0) found.push({ name, path: file2, stats });
  }
  return found;
}
async function filesBelow2(folder, problems) {
  const files = [];
  for (const entry of await listFolder(folder, problems)) {
    const full = path2.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...await filesBelow2(full, problems));
    else if (entry.isFile() || entry.isSymbolicLink()) files.push(full);
  }
  return files;
}
async function statFile(file2, problems) {
  try {
    const stats = await stat2(file2);
    return stats.isFile() ? stats : void 0;
  } catch (error) {
    const code = systemErrorCode(error) ?? "unknown";
    if (code !== "ENOENT") problems.push({ path: file2, code });
    return void 0;
  }
}

// src/session/content-key.ts
import { createHash } from "node:crypto";
function contentKey(entry) {
  const content2 = asObject(entry.message)?.content ?? entry.content ?? null;
  return createHash("sha256").update(JSON.stringify(content2)).digest("base64");
}

// src/session/relatives.ts
function findRelatives(nodes, graph, isAgent) {
  const byMessage = /* @__PURE__ */ new Map();
  const byCall = /* @__PURE__ */ new Map();
  for (const node of nodes) {
    if (!isLinked(node) || node.isSidechain && !isAgent || graph.isReplaced(node)) continue;
    const id = messageIdOf(node);
    if (id !== void 0) push(byMessage, id, node);
    for (const { toolUseId } of resultsOf(node)) push(byCall, toolUseId, node);
  }
  return {
    linesOf: (node) => byMessage.get(messageIdOf(node) ?? "") ?? [node],
    resultsFor: (toolUseId) => byCall.get(toolUseId) ?? []
  };
}
function linesBeside(branch, source2, isTaken) {
  const placed = new Set(branch);
  const answered = new Set(branch.flatMap((node) => resultsOf(node).map((result) => result.toolUseId)));
  const isFree = (node) => !placed.has(node) && !isTaken(node);
  const beside = /* @__PURE__ */ new Map();
  const seen = /* @__PURE__ */ new Set();
  const seenCalls = /* @__PURE__ */ new Set();
  for (const node of branch) {
    const id = messageIdOf(node);
    if (node.type !== "assistant" || id !== void 0 && seen.has(id)) continue;
    if (id !== void 0) seen.add(id);
    const lines = source2.relatives.linesOf(node);
    const added = newLines(lines, placed, isFree, source2);
    for (const line2 of added) placed.add(line2);
    for (const call of lines.filter((line2) => placed.has(line2)).flatMap(callsOf)) {
      if (seenCalls.has(call.id)) continue;
      seenCalls.add(call.id);
      for (const result of source2.relatives.resultsFor(call.id)) {
        const parent = source2.graph.parentOf(result);
        const isNews = resultsOf(result).some(({ toolUseId }) => !answered.has(toolUseId));
        if (!isFree(result) || !(isNews || parent !== void 0 && placed.has(parent))) continue;
        for (const { toolUseId } of resultsOf(result)) answered.add(toolUseId);
        placed.add(result);
        added.push(result);
      }
    }
    if (added.length > 0) beside.set(node, added);
  }
  return beside;
}
function newLines(lines, placed, isFree, source2) {
  const free = lines.filter(isFree);
  if (free.length === 0) return [];
  const keys = new Set(lines.filter((line2) => placed.has(line2)).map((line2) => lineKey(line2, source2)));
  return free.filter((line2) => {
    const key = lineKey(line2, source2);
    return !keys.has(key) && keys.add(key);
  });
}
function lineKey(line2, source2) {
  const calls2 = callsOf(line2);
  return calls2.length > 0 ? calls2.map((call) => call.id).join() : contentKey(source2.read(line2));
}
function messageIdOf(node) {
  return node.type === "assistant" ? node.message?.id : void 0;
}
function push(map, key, node) {
  const list = map.get(key);
  if (list === void 0) map.set(key, [node]);
  else list.push(node);
}

// src/session/resume/graph.ts
function buildResumeGraph(nodes, read) {
  const links = new Links();
  let pin = linkNodes(nodes, links);
  pin = applyCompactions(links, pin, read);
  const order = links.inOrder();
  let children;
  return {
    order,
    pin,
    byUuid: (uuid2) => uuid2 === null || uuid2 === void 0 ? void 0 : links.nodes.get(uuid2),
    parentOf: (node) => links.parentOf(node),
    rankOf: (node) => links.rankOf(node),
    lastRankOf: (node) => links.lastRankOf(node),
    inLastOrder: () => links.inLastOrder(order),
    childrenOf: (node) => {
      children ??= groupByParent(order, links);
      return node.uuid === void 0 ? [] : children.get(node.uuid) ?? [];
    }
  };
}
function groupByParent(order, links) {
  const children = /* @__PURE__ */ new Map();
  for (const node of order) {
    const parent = links.parentOf(node);
    if (parent === null || parent === void 0) continue;
    const siblings = children.get(parent);
    if (siblings === void 0) children.set(parent, [node]);
    else siblings.push(node);
  }
  return children;
}
var Links = class {
  nodes = /* @__PURE__ */ new Map();
  #parents = /* @__PURE__ */ new Map();
  #ranks = /* @__PURE__ */ new Map();
  #lastRanks = /* @__PURE__ */ new Map();
  /** Rule 3: the later of two lines with one uuid wins in the earlier one's place. */
  add(node) {
    const earlier = this.nodes.get(node.uuid);
    if (earlier !== void 0) this.#ranks.set(node, this.rankOf(earlier));
    this.nodes.set(node.uuid, node);
  }
  parentOf(node) {
    return this.#parents.size > 0 && this.#parents.has(node) ? this.#parents.get(node) : node.parentUuid;
  }
  rankOf(node) {
    return this.#ranks.size === 0 ? node.index : this.#ranks.get(node) ?? node.index;
  }
  lastRankOf(node) {
    return this.#lastRanks.size === 0 ? node.index : this.#lastRanks.get(node) ?? node.index;
  }
  setParent(node, parent) {
    this.#parents.set(node, parent);
  }
  /** `share`: how far between the place of `anchor` and the next. */
  setBehind(node, anchor, share2) {
    this.#ranks.set(node, this.rankOf(anchor) + share2);
    this.#lastRanks.set(node, this.lastRankOf(anchor) + share2);
  }
  inOrder() {
    const order = [...this.nodes.values()];
    return this.#ranks.size === 0 ? order : order.sort((a, b) => this.rankOf(a) - this.rankOf(b));
  }
  inLastOrder(order) {
    if (this.#ranks.size === 0) return order;
    return [...order].sort((a, b) => this.lastRankOf(a) - this.lastRankOf(b));
  }
};
function linkNodes(nodes, links) {
  const throughProgress = /* @__PURE__ */ new Map();
  let pin;
  for (const node of nodes) {
    if (node.hidden) continue;
    if (node.type === "progress") {
      if (node.uuid !== void 0) throughProgress.set(node.uuid, resolve(node.parentUuid, throughProgress));
    } else if (node.type === "last-prompt") {
      pin = nextPin(pin, node);
    } else if (isMessage(node) || isNote(node)) {
      if (isBoundary(node)) pin = void 0;
      links.add(node);
      const parent = resolve(node.parentUuid, throughProgress);
      if (parent !== node.parentUuid) links.setParent(node, parent);
    }
  }
  return pin;
}
function resolve(parent, throughProgress) {
  return typeof parent === "string" && throughProgress.has(parent) ? throughProgress.get(parent) : parent;
}
function nextPin(pin, node) {
  if (node.leafUuid === void 0 || node.leafUuid === "") return pin;
  if (pin?.explicit && pin.leafUuid === node.leafUuid && !node.explicit) return pin;
  return { leafUuid: node.leafUuid, explicit: node.explicit, rank: node.index };
}
function applyCompactions(links, pin, read) {
  let current = pin;
  for (const boundary of [...links.nodes.values()].filter(isBoundary)) {
    const preserved = preservedNodes(links, asObject(read(boundary).compactMetadata));
    if (preserved === void 0) continue;
    const { anchor, kept } = preserved;
    const keptSet = new Set(kept);
    const forgotten = /* @__PURE__ */ new Set();
    for (const [uuid2, node] of links.nodes) {
      if (links.rankOf(node) < links.rankOf(boundary) && !keptSet.has(node)) forgotten.add(uuid2);
    }
    for (const uuid2 of forgotten) links.nodes.delete(uuid2);
    const last = kept.at(-1);
    for (const node of links.nodes.values()) {
      if (keptSet.has(node) || node === boundary) continue;
      const parent = links.parentOf(node);
      if (parent === anchor.uuid || parent != null && forgotten.has(parent)) links.setParent(node, last.uuid);
    }
    for (const [i, node] of kept.entries()) {
      links.setParent(node, i === 0 ? anchor.uuid : kept[i - 1]?.uuid);
      links.setBehind(node, anchor, (i + 1) / (kept.length + 1));
    }
    if (current !== void 0 && forgotten.has(current.leafUuid)) current = void 0;
  }
  return current;
}
function preservedNodes(links, metadata) {
  const messages2 = asObject(metadata?.preservedMessages);
  const segment2 = asObject(metadata?.preservedSegment);
  const anchor = links.nodes.get(asString((messages2 ?? segment2)?.anchorUuid) ?? "");
  if (anchor === void 0) return void 0;
  const kept = messages2 ? listedNodes(links, messages2.uuids) : segmentNodes(links, segment2);
  return kept === void 0 || kept.length === 0 ? void 0 : { anchor, kept };
}
function listedNodes(links, uuids) {
  const found = (isArray(uuids) ? uuids : []).map((uuid2) => links.nodes.get(asString(uuid2) ?? ""));
  return found.every((node) => node !== void 0) ? found : void 0;
}
function segmentNodes(links, segment2) {
  const head = asString(segment2.headUuid);
  const seen = /* @__PURE__ */ new Set();
  let node = links.nodes.get(asString(segment2.tailUuid) ?? "");
  while (node !== void 0 && !seen.has(node)) {
    seen.add(node);
    if (node.uuid === head) return [...seen].reverse();
    const parent = links.parentOf(node);
    node = parent == null ? void 0 : links.nodes.get(parent);
  }
  return void 0;
}

// src/session/resume/client.ts
var defaultModel = "claude-opus-5-5";
var syntheticModel = "<synthetic>";
var offered = /claude-(3-5-sonnet|(haiku|sonnet|opus)-4-5|(sonnet|opus)-4-6|opus-4-[78]|opus-5|sonnet-5|fable-5)(?!\d)/i;
var remindedBySystemRole = /claude-(opus-4-8|opus-5|sonnet-5|fable-5)/;
function isOffered(model2) {
  return offered.test(model2);
}
function takesSystemRole(model2) {
  return remindedBySystemRole.test(model2);
}
function canonicalModel(model2) {
  return model2?.replace(/\[1m\]$/i, "").toLowerCase();
}
var knownTools = /* @__PURE__ */ new Set([
  "Agent",
  "Task",
  "Bash",
  "Read",
  "Edit",
  "Write",
  "Skill",
  "ToolSearch",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TaskStop",
  "SendMessage",
  "WebSearch",
  "WebFetch",
  "NotebookEdit",
  "CronCreate",
  "CronDelete",
  "CronList",
  "EnterWorktree",
  "ExitWorktree",
  "Monitor"
]);
var texts3 = {
  interrupted: "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]",
  missingResult: "[Tool result missing due to internal error]",
  orphanedResult: "[Orphaned tool result removed due to conversation resume]",
  repeatedCall: "[Tool use interrupted]",
  noContent: "(no content)",
  noResponse: "No response requested.",
  toolLoaded: "Tool loaded.",
  referencesRemoved: "[Tool references removed - tools no longer available]"
};
var refusal = "No conversation found";

// src/session/resume/leaf.ts
function chooseLeaf(graph) {
  const main = graph.inLastOrder().filter(canBeLeaf);
  const chosen = pinnedLeaf(graph, main) ?? lastLeaf(graph, main);
  if (chosen === void 0) return { refused: `${refusal}: the file holds no message of a main conversation` };
  const leaf = nearestMessage(graph, chosen);
  if (leaf.isSidechain) return { refused: `${refusal}: the last line belongs to a sub-agent` };
  if (Number.isNaN(leaf.time)) {
    return { refused: `${refusal}: the last message (line ${leaf.line}) has no valid timestamp` };
  }
  return { leaf };
}
function canBeLeaf(node) {
  return !node.isSidechain && (!isMessage(node) || node.hasContent);
}
function lastLeaf(graph, main) {
  const unrooted = /* @__PURE__ */ new Set();
  const last = main.findLast((line2) => hasMessageAtOrAbove(graph, line2, unrooted)) ?? main.at(-1);
  const uuid2 = last?.uuid;
  if (last === void 0 || uuid2 === void 0 || !graph.order.some((line2) => graph.parentOf(line2) === uuid2))
    return last;
  let newest2 = last;
  const below = [last];
  const seen = new Set(below);
  for (const line2 of below) {
    if (line2.time >= newest2.time) newest2 = line2;
    for (const child of graph.childrenOf(line2)) {
      if (seen.has(child) || !canBeLeaf(child)) continue;
      seen.add(child);
      below.push(child);
    }
  }
  return newest2;
}
function pinnedLeaf(graph, main) {
  const pin = graph.pin;
  const pinned = graph.byUuid(pin?.leafUuid);
  if (pin === void 0 || pinned === void 0 || !hasMessageAtOrAbove(graph, pinned, /* @__PURE__ */ new Set())) return void 0;
  const last = main.at(-1);
  if (last === void 0 || !ancestors(graph, last).has(pinned)) return pinned;
  return pin.explicit && graph.lastRankOf(last) < pin.rank ? pinned : last;
}
function hasMessageAtOrAbove(graph, from, unrooted) {
  for (let line2 = from; line2 !== void 0; line2 = graph.byUuid(graph.parentOf(line2))) {
    if (isMessage(line2)) return true;
    if (unrooted.has(line2)) return false;
    unrooted.add(line2);
  }
  return false;
}
function ancestors(graph, from) {
  const seen = /* @__PURE__ */ new Set();
  for (let line2 = from; line2 !== void 0 && !seen.has(line2); line2 = graph.byUuid(graph.parentOf(line2))) {
    seen.add(line2);
  }
  return seen;
}
function nearestMessage(graph, chosen) {
  const seen = /* @__PURE__ */ new Set();
  let line2 = chosen;
  while (line2 !== void 0 && !seen.has(line2)) {
    if (isMessage(line2)) return line2;
    if (isBoundary(line2)) return chosen;
    seen.add(line2);
    line2 = graph.byUuid(graph.parentOf(line2));
  }
  return chosen;
}

// src/session/branch.ts
function findBranches(source2) {
  const leaf = activeLeaf(source2);
  if (leaf === void 0) return [];
  const { nodes } = source2;
  const covered = new Uint8Array(nodes.length);
  const seenMessages = /* @__PURE__ */ new Set();
  const branches = [];
  const add = (tip, active) => {
    const way = wayTo(source2.graph, tip, covered);
    const ids = way.nodes.flatMap((node) => node.type === "assistant" && node.message?.id ? [node.message.id] : []);
    const isReplay = !active && ids.length > 0 && ids.every((id) => seenMessages.has(id));
    for (const id of ids) seenMessages.add(id);
    for (const node of way.nodes) covered[node.index] = 1;
    const beside = linesBeside(way.nodes, source2, (node) => covered[node.index] === 1);
    for (const lines of beside.values()) for (const line2 of lines) covered[line2.index] = 1;
    branches.push({ active, leaf: tip, fork: way.fork, nodes: way.nodes, beside, isReplay });
  };
  add(leaf, true);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    if (covered[i] === 0 && isMessage(node) && isOwn(source2, node) && !source2.graph.isReplaced(node)) add(node, false);
  }
  return branches;
}
function isAgentTranscript(nodes) {
  return nodes.some(isMessage) && nodes.every((node) => !isMessage(node) || node.isSidechain);
}
function activeLeaf(source2) {
  if (!source2.isAgent) {
    const choice = chooseLeaf(buildResumeGraph(source2.nodes, (node) => source2.read(node)));
    if ("leaf" in choice && isMessage(choice.leaf)) return choice.leaf;
  }
  return source2.nodes.findLast((node) => isMessage(node) && isOwn(source2, node));
}
function isOwn(source2, node) {
  return source2.isAgent || !node.isSidechain;
}
function wayTo(graph, tip, covered) {
  const nodes = [];
  let node = tip;
  for (; node !== void 0 && covered[node.index] === 0; node = graph.parentOf(node)) nodes.push(node);
  return { nodes: nodes.reverse(), fork: node };
}

// src/session/transcript.ts
import { isUtf8 } from "node:buffer";

// src/format/recover.ts
import { constants } from "node:buffer";
function recoverRecords(bytes) {
  const records = [];
  const trace = { stoppedAt: 0, objectStart: -1, objectEnd: -1 };
  let gapStart = 0;
  let position = 0;
  let isTorn = false;
  for (; ; ) {
    const cleanStart = position === gapStart ? skipSeparators(bytes, position, records.length > 0) : -1;
    const isClean2 = cleanStart !== -1 && bytes[cleanStart] === openObject2;
    const start = isClean2 ? cleanStart : nextOpening(bytes, position);
    if (start === -1) break;
    const end = skipValue(bytes, start, trace);
    let record;
    if (end !== -1) {
      position = end;
      const needed = Math.max(neededBefore(bytes, end, isClean2), isClean2 ? anything : neededAt(bytes, start, isTorn));
      record = acceptRecord(bytes, { start, end }, needed);
    } else {
      position = afterFailure(bytes, start, trace.stoppedAt);
      isTorn = true;
      if (isLastThing(bytes, trace)) {
        record = acceptRecord(bytes, { start: trace.objectStart, end: trace.objectEnd }, transcriptLine);
      }
    }
    if (record === void 0) continue;
    records.push(record);
    position = record.end;
    gapStart = record.end;
    isTorn = false;
  }
  return { records, damage: gapsBetween(bytes, records).flatMap((gap) => describeGap(bytes, gap)) };
}
var quote4 = 34;
var comma3 = 44;
var colon3 = 58;
var openArray2 = 91;
var closeArray = 93;
var openObject2 = 123;
var closeObject2 = 125;
var anything = 0;
var knownKey = 1;
var typeAndCompanion = 2;
var transcriptLine = 3;
var never = 4;
var companions = [
  "uuid",
  "parentUuid",
  "sessionId",
  "timestamp",
  "message",
  "messageId",
  "leafUuid",
  "summary",
  "snapshot"
];
function evidence(bytes, at) {
  const has = (key) => findMember(bytes, at, key) !== void 0;
  if (!has("type")) return ["uuid", "message", "sessionId", "leafUuid", "summary"].some(has) ? knownKey : anything;
  if (has("sessionId") || has("leafUuid") && has("summary")) return transcriptLine;
  if (has("messageId") && (has("snapshot") || has("snapshotMessageId"))) return transcriptLine;
  return companions.some(has) ? typeAndCompanion : knownKey;
}
function acceptRecord(bytes, span, needed) {
  if (needed === never || needed > anything && evidence(bytes, span.start) < needed) return void 0;
  return isJson(bytes, span) ? span : void 0;
}
function isJson(bytes, { start, end }) {
  if (end - start > constants.MAX_STRING_LENGTH) return true;
  try {
    JSON.parse(bytes.toString("utf8", start, end));
    return true;
  } catch {
    return false;
  }
}
function neededAt(bytes, start, isTorn) {
  if (isTorn) return typeAndCompanion;
  let position = start - 1;
  while (position >= 0 && isWhitespace(bytes[position])) position--;
  const before = bytes[position];
  return before === colon3 || before === comma3 || before === openArray2 ? typeAndCompanion : knownKey;
}
function neededBefore(bytes, end, isClean2) {
  const position = skipWhitespace(bytes, end);
  const next = bytes[position];
  const isInside = isClean2 ? transcriptLine : never;
  if (next === closeObject2 || next === colon3 || next === quote4) return isInside;
  if (next === closeArray) return transcriptLine;
  if (next !== comma3) return anything;
  const afterComma = skipWhitespace(bytes, position + 1);
  if (afterComma === bytes.length) return anything;
  if (bytes[afterComma] === openObject2) return isClean2 ? typeAndCompanion : transcriptLine;
  return bytes[afterComma] === quote4 ? isInside : transcriptLine;
}
function isLastThing(bytes, { objectStart, objectEnd, stoppedAt }) {
  if (objectStart === -1) return false;
  let position = objectEnd;
  while (position < stoppedAt && (bytes[position] === comma3 || isWhitespace(bytes[position]))) position++;
  return position === stoppedAt;
}
function afterFailure(bytes, start, stoppedAt) {
  let position = stoppedAt - 1;
  while (isWhitespace(bytes[position])) position--;
  if (bytes[position] !== quote4) return stoppedAt;
  position--;
  while (isWhitespace(bytes[position])) position--;
  return bytes[position] === openObject2 && position > start ? position : stoppedAt;
}
function nextOpening(bytes, from) {
  for (let position = from; position < bytes.length; position++) {
    if (bytes[position] === openObject2 && bytes[skipWhitespace(bytes, position + 1)] === quote4) return position;
  }
  return -1;
}
function skipSeparators(bytes, from, isBehindRecord) {
  let position = from;
  for (; ; ) {
    const byte = bytes[position];
    if (byte === void 0) return position;
    if (isBom(bytes, position)) position += bomLength;
    else if (byte === 0 || isWhitespace(byte) || isBehindRecord && byte === comma3) position++;
    else return position;
  }
}
var bomLength = 3;
function isBom(bytes, at) {
  return bytes[at] === 239 && bytes[at + 1] === 187 && bytes[at + 2] === 191;
}
function gapsBetween(bytes, records) {
  const starts3 = [0, ...records.map((record) => record.end)];
  const ends2 = [...records.map((record) => record.start), bytes.length];
  return starts3.map((start, index) => ({
    start,
    end: ends2[index],
    isAfterRecord: index > 0,
    isBeforeRecord: index < records.length
  }));
}
function describeGap(bytes, gap) {
  const isBetween = gap.isAfterRecord && gap.isBeforeRecord;
  if (gap.start === gap.end) return isBetween ? [damageAt("L-joined", gap.start, gap.end)] : [];
  const damage = [];
  let { start, end } = gap;
  const skipNuls = () => {
    const run2 = start;
    while (start < end && isNulOrSpace(bytes[start])) start++;
    if (bytes.subarray(run2, start).includes(0)) damage.push(damageAt("L-nul", run2, start));
  };
  skipNuls();
  if (start < end && isBom(bytes, start)) {
    damage.push(damageAt("L-bom", start, start + bomLength));
    start += bomLength;
    skipNuls();
  }
  const run = end;
  while (end > start && isNulOrSpace(bytes[end - 1])) end--;
  if (end > start) damage.push(damageAt(codeOf(bytes.subarray(start, end), gap), start, end));
  if (bytes.subarray(end, run).includes(0)) damage.push(damageAt("L-nul", end, run));
  return damage.length === 0 && isBetween ? [damageAt("L-joined", gap.start, gap.end)] : damage;
}
function codeOf(rest, gap) {
  if (gap.isAfterRecord && gap.isBeforeRecord && skipSeparators(rest, 0, true) === rest.length) return "L-joined";
  if (rest[0] !== openObject2 || skipValue(rest, 0) !== -1) return "L-not-json";
  return gap.isBeforeRecord ? "L-spliced" : "L-torn-tail";
}
function isNulOrSpace(byte) {
  return byte === 0 || isWhitespace(byte);
}
var messages = {
  "L-bom": "a byte-order mark stands in the line",
  "L-nul": "NUL bytes stand in the line",
  "L-joined": "two records stand on one line",
  "L-spliced": "a record is cut off and another one follows on the same line",
  "L-torn-tail": "a record is cut off",
  "L-not-json": "text that is no record stands in the line"
};
function damageAt(code, start, end) {
  return { code, start, end, message: messages[code] };
}

// src/store/ranges.ts
import { closeSync as closeSync2, openSync as openSync2, readSync as readSync2 } from "node:fs";
var defaultWindowBytes = 1024 * 1024;
var RangeReader = class {
  path;
  #windowBytes;
  #window = Buffer.alloc(0);
  #start = 0;
  /** A small window is for pieces that are far apart. */
  constructor(path7, windowBytes = defaultWindowBytes) {
    this.path = path7;
    this.#windowBytes = windowBytes;
  }
  /** The bytes of [offset, offset + length), fewer where the file is shorter now. Good until the next call. */
  read(offset, length) {
    if (offset < this.#start || offset + length > this.#start + this.#window.length) this.#load(offset, length);
    return this.#window.subarray(offset - this.#start, offset - this.#start + length);
  }
  #load(offset, length) {
    const buffer = Buffer.allocUnsafe(Math.max(length, this.#windowBytes));
    const file2 = openSync2(this.path, "r");
    let filled = 0;
    try {
      while (filled < buffer.length) {
        const got = readSync2(file2, buffer, filled, buffer.length - filled, offset + filled);
        if (got === 0) break;
        filled += got;
      }
    } finally {
      closeSync2(file2);
    }
    this.#window = buffer.subarray(0, filled);
    this.#start = offset;
  }
};

// src/session/transcript.ts
var maxDiagnostics = 1e4;
var maxPendingBytes = 4 * 1024 * 1024;
var maxPendingLines = 2e3;
function loadTranscript(path7, options = {}) {
  const loader = new Loader(options);
  for (const batch of readLines(path7)) for (const line2 of batch) loader.add(line2);
  loader.finish();
  return makeTranscript(path7, loader);
}
function makeTranscript(path7, loaded) {
  const ranges = new RangeReader(path7);
  const { nodes, diagnostics, foreign, sizeBytes, mayRepeat } = loaded;
  return {
    path: path7,
    sizeBytes,
    nodes,
    diagnostics,
    foreign,
    mayRepeat,
    read: (node) => {
      const value = parseJson(ranges.read(node.offset, node.length).toString("utf8"));
      return isObject(value) ? value : {};
    },
    pick: (picked) => {
      const loader = new Loader({});
      for (const { offset, length, line: line2, hidden } of picked) {
        loader.addRecord(ranges.read(offset, length), { line: line2, offset, length, hidden });
      }
      return makeTranscript(path7, loader);
    }
  };
}
var Loader = class {
  nodes = [];
  diagnostics = [];
  foreign;
  sizeBytes = 0;
  mayRepeat = false;
  #options;
  #shared = new SharedValues();
  #pending = [];
  #pendingBytes = 0;
  #pendingDepth = 0;
  #hasCrlf = false;
  #stretch = 0;
  #stretchOfMessage = /* @__PURE__ */ new Map();
  #calls = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
  }
  addRecord(bytes, place) {
    const head = scanRecord(bytes);
    if (head !== void 0) this.#addHead(head, place);
  }
  add(line2) {
    this.sizeBytes = line2.offset + line2.length + (line2.terminated ? 1 : 0);
    if (line2.bytes.length < line2.length) {
      this.#settlePending();
      this.#say("L-oversize", line2, 0, `the line has ${line2.length} bytes, too long to be read; it is kept as it is`);
      return;
    }
    const bytes = this.#withoutBom(line2);
    const head = scanRecord(bytes);
    if (this.#pending.length > 0) {
      const isPiece = head === void 0 || !looksLikeRecord(head);
      if (isPiece && this.#extendPending(line2, bytes)) return;
      this.#settlePending();
    }
    if (head !== void 0 && this.#isSound(line2, bytes)) {
      this.#addNode(head, line2, line2.offset + line2.length - bytes.length, bytes.length, false);
      this.#checkEnd(line2);
      return;
    }
    if (skipWhitespace(bytes, 0) === bytes.length || this.#beginPending(line2, bytes)) return;
    this.#recover(line2, bytes);
  }
  finish() {
    this.#settlePending();
  }
  /** Whether the line begins an object and does not end it; if so it waits for the lines behind it. */
  #beginPending(line2, bytes) {
    if (bytes[skipWhitespace(bytes, 0)] !== openBrace3 || bytes.length > maxPendingBytes) return false;
    this.#pendingBytes = 0;
    return this.#wait(line2, bytes, openDepth(bytes, 0));
  }
  /** Whether the line ended or continued an object over several lines; if so it is dealt with. */
  #extendPending(line2, bytes) {
    if (this.#pendingBytes + bytes.length > maxPendingBytes || this.#pending.length >= maxPendingLines) return false;
    if (this.#wait(line2, bytes, openDepth(bytes, this.#pendingDepth))) return true;
    const pieces = [...this.#pending.map((piece) => piece.bytes), bytes];
    const joined = Buffer.concat(pieces.flatMap((piece, i) => i === 0 ? [piece] : [newline2, piece]));
    const first = this.#pending[0];
    const head = scanRecord(joined);
    if (head === void 0 || parseJson(joined.toString("utf8")) === void 0) return false;
    if (!this.#isSound(first.line, joined)) return false;
    this.#pending = [];
    this.#addNode(head, first.line, first.line.offset + first.line.length - first.bytes.length, joined.length, false);
    this.#checkEnd(line2);
    return true;
  }
  #wait(line2, bytes, depth) {
    if (depth === 0) return false;
    const kept = Buffer.from(line2.bytes);
    this.#pending.push({ line: { ...line2, bytes: kept }, bytes: kept.subarray(kept.length - bytes.length) });
    this.#pendingBytes += bytes.length + 1;
    this.#pendingDepth = depth;
    return true;
  }
  #settlePending() {
    const pending = this.#pending;
    this.#pending = [];
    for (const { line: line2, bytes } of pending) this.#recover(line2, bytes);
  }
  #recover(line2, bytes) {
    const skipped = line2.length - bytes.length;
    const { records, damage } = recoverRecords(bytes);
    const lineStart = skipWhitespace(bytes, 0);
    if (records[0]?.start !== lineStart) this.#addClientRecord(line2, bytes, lineStart);
    for (const { start, end } of records) {
      const piece = bytes.subarray(start, end);
      const head = scanRecord(piece);
      if (head === void 0) continue;
      this.#addNode(head, line2, line2.offset + skipped + start, piece.length, start !== lineStart);
    }
    for (const { code, start, message: message2 } of damage) this.#say(code, line2, skipped + start, message2);
    this.#checkEnd(line2);
  }
  /** The client reads any whole object at the start of a line, also one that recovery takes for a piece of something. */
  #addClientRecord(line2, bytes, start) {
    const end = bytes[start] === openBrace3 ? skipValue(bytes, start) : -1;
    if (end < 0 || parseJson(bytes.toString("utf8", start, end)) === void 0) return;
    const head = scanRecord(bytes.subarray(start, end));
    if (head === void 0 || !clientTypes.has(head.type)) return;
    this.#addNode(head, line2, line2.offset + line2.length - bytes.length + start, end - start, false);
  }
  #addNode(head, line2, offset, length, hidden) {
    this.#addHead(head, { line: line2.number, offset, length, hidden });
  }
  #addHead(head, place) {
    if (head.message?.hasParts === true && head.message.content === "absent") this.foreign ??= "Qwen Code";
    const keepMessage = this.#options.withoutMessages !== true;
    const node = new Node(head, { ...place, index: this.nodes.length }, this.#shared, keepMessage);
    this.nodes.push(node);
    this.#watchForRepeats(node.type, head);
  }
  /** By hashes, because the ids of half a million lines are a burden; a false alarm only costs a closer look. */
  #watchForRepeats(type2, { message: message2 }) {
    if (this.mayRepeat || message2 === void 0) return;
    if (type2 === "user" && message2.results.length === 0) this.#stretch++;
    if (type2 !== "assistant" || message2.id === void 0) return;
    const id = hash(message2.id);
    const before = this.#stretchOfMessage.get(id) ?? this.#stretch;
    this.#stretchOfMessage.set(id, this.#stretch);
    this.mayRepeat = before !== this.#stretch;
    for (const call of message2.calls) {
      const made = hash(call.id);
      if (this.#calls.has(made)) this.mayRepeat = true;
      this.#calls.add(made);
    }
  }
  #withoutBom(line2) {
    const { bytes } = line2;
    if (line2.offset !== 0 || bytes[0] !== 239 || bytes[1] !== 187 || bytes[2] !== 191) return bytes;
    this.#say("L-bom", line2, 0, "the file begins with a byte-order mark");
    return bytes.subarray(3);
  }
  #isSound(line2, bytes) {
    if (this.#options.strict !== true) return true;
    const text = bytes.toString("utf8");
    const value = parseJson(text);
    if (value === void 0) return false;
    if (!isUtf8(bytes)) this.#say("L-utf8", line2, 0, "a string holds bytes that are not UTF-8");
    if (/\\ud/i.test(text) && hasLoneSurrogate(value)) {
      this.#say("L-surrogate", line2, 0, "a string holds half of a surrogate pair");
    }
    return true;
  }
  #checkEnd(line2) {
    if (!line2.terminated && !this.diagnostics.some((said) => said.line === line2.number && said.code === "L-torn-tail")) {
      this.#say("L-no-newline", line2, line2.length, "the last line has no newline");
    }
    if (!this.#hasCrlf && line2.terminated && line2.bytes.at(-1) === 13) {
      this.#hasCrlf = true;
      this.#say("L-crlf", line2, line2.length - 1, "lines end in CR LF");
    }
  }
  #say(code, line2, at, message2) {
    if (this.diagnostics.length >= maxDiagnostics) return;
    this.diagnostics.push({ code, line: line2.number, offset: line2.offset + at, message: message2 });
  }
};
var newline2 = Buffer.from("\n");
function hash(text) {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value, 31) + text.charCodeAt(i) | 0;
  return value;
}
var clientTypes = /* @__PURE__ */ new Set([
  "user",
  "assistant",
  "system",
  "attachment",
  "progress",
  "last-prompt"
]);
function looksLikeRecord(head) {
  return head.type !== "" && (head.uuid !== void 0 || head.sessionId !== void 0 || !Number.isNaN(head.time));
}
var openBrace3 = 123;
var closeBrace2 = 125;
var openBracket3 = 91;
var closeBracket2 = 93;
var quote5 = 34;
function openDepth(bytes, depth) {
  let open = depth;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote5) {
      const end = skipString(bytes, i);
      if (end < 0) return 0;
      i = end - 1;
    } else if (byte === openBrace3 || byte === openBracket3) open++;
    else if ((byte === closeBrace2 || byte === closeBracket2) && --open === 0) return 0;
  }
  return open;
}

// src/session/session.ts
async function loadSession(path7, options = {}) {
  const files = await sessionFiles(path7);
  return makeSession(files, loadTranscript(path7, { strict: true, ...options }));
}
function makeSession(files, transcript) {
  const { nodes } = transcript;
  const isAgent = isAgentTranscript(nodes);
  const graph = buildGraph(nodes);
  const relatives = findRelatives(nodes, graph, isAgent);
  return {
    id: files.sessionId,
    files,
    transcript,
    isAgent,
    graph,
    relatives,
    branches: findBranches({ nodes, graph, relatives, isAgent, read: (node) => transcript.read(node) }),
    agents: findAgents(files, transcript, graph, isAgent)
  };
}
async function loadAgent(session, agent, options = {}) {
  const { customTitle, archived, ...main } = session.files;
  const files = { ...main, agents: [], flatAgents: [], toolResults: [], journals: [] };
  if (agent.path !== void 0) {
    const transcript = loadTranscript(agent.path, { strict: true, ...options });
    const own = makeSession({ ...files, sessionId: `agent-${agent.agentId}`, main: agent.path }, transcript);
    return { ...own, agents: agentsStartedBy(transcript, session.agents) };
  }
  return makeSession(files, session.transcript.pick(agent.nodes));
}
function cwdOf(session) {
  return session.transcript.nodes.find((node) => node.cwd !== void 0)?.cwd;
}
function readEntry(session, node) {
  return asEntry(session.transcript.read(node)) ?? {};
}

// src/store/append.ts
import { createHash as createHash2 } from "node:crypto";
import {
  closeSync as closeSync3,
  constants as constants2,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync as openSync3,
  readSync as readSync3,
  statSync,
  unlinkSync,
  writeSync
} from "node:fs";
import { promisify } from "node:util";

// src/store/disk.ts
function diskError(error, doing, file2) {
  const code = systemErrorCode(error);
  const next = code === void 0 ? void 0 : remedies[code];
  return next === void 0 ? error : new UserError(`cannot ${doing} ${file2} (${code})`, next);
}
var remedies = {
  ENOSPC: "make room on the disk and run it again",
  EDQUOT: "make room in your quota and run it again",
  EFBIG: "the file would pass the size limit of this system or shell (ulimit -f)",
  EROFS: "the disk is read-only; name another folder",
  ENOENT: "something else cleans up its folder; run it again",
  EACCES: "check the permissions",
  EPERM: "check the permissions",
  EISDIR: "name a file",
  ENOTDIR: "name a file in a folder",
  ENAMETOOLONG: "choose a shorter name",
  ELOOP: "remove the link that leads to itself",
  EIO: "the disk reports a fault; check it"
};

// src/store/append.ts
function identify(file2) {
  try {
    refuseOddFile(file2, statSync(file2));
    const fd = openSync3(file2, constants2.O_RDONLY);
    try {
      return stampOf(fd).stamp;
    } finally {
      closeSync3(fd);
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "absent";
    throw diskError(error, "read", file2);
  }
}
var newline3 = Buffer.from("\n");
function refuseOddFile(file2, stats) {
  if (!stats.isFile()) throw new UserError(`${file2} is not a regular file`, "name a transcript (.jsonl)");
}
var fsyncAsync = promisify(fsync);
var tailBytes = 4096;
function stampOf(fd) {
  const { dev, ino, size, mtimeMs } = fstatSync(fd);
  const tail = Buffer.alloc(Math.min(size, tailBytes));
  const read = tail.length === 0 ? 0 : readSync3(fd, tail, 0, tail.length, size - tail.length);
  const hash2 = createHash2("sha256").update(tail.subarray(0, read)).digest("base64url");
  return { stamp: { dev, ino, size, mtimeMs, tail: hash2 }, endsInLine: read === 0 || tail[read - 1] === 10 };
}

// src/surgery/source.ts
async function loadSource(main) {
  const problems = [];
  const paths = await sessionPaths(main, problems);
  const [problem] = problems;
  if (problem !== void 0)
    throw new UserError(`cannot read ${problem.path} (${problem.code})`, "check the permissions");
  const identities = /* @__PURE__ */ new Map();
  for (const file2 of paths) identities.set(file2.path, identify(file2.path));
  try {
    const session = await loadSession(main);
    const files = paths.map((file2, i) => {
      if (i === 0) return { ...file2, transcript: session.transcript };
      return isAgentName(file2.name) ? { ...file2, transcript: loadTranscript(file2.path, { strict: true }) } : file2;
    });
    return { session, folder: path3.dirname(path3.resolve(main)), files, identities };
  } catch (error) {
    throw diskError(error, "read", main);
  }
}
function isAgentName(name) {
  return /^agent-.+\.jsonl$/.test(path3.posix.basename(name));
}

// src/api/model-name.ts
var maxNameChars = 256;
function plainModelName(model2) {
  if (model2.length > maxNameChars) return model2;
  return model2.trim().toLowerCase().replace(/\[[^\]]*\]$/, "").replace(/^.*[/:](?=[a-z.-]*claude)/, "").replace(/^(?:[a-z0-9-]+\.)*(?=claude)/, "").replace(/-v\d+(?::\d+)*$/, "").replace(/:.*$/, "").replace(/@(?:latest|default)$|-latest$/, "").replace("@", "-").replace(/(\d)\.(\d)/g, "$1-$2");
}
function withoutModelDate(name) {
  return name.replace(/-20\d{6}$/, "");
}
function asksForLongContext(model2) {
  return /\[1m\]$/i.test(model2);
}

// src/api/models.ts
var long = 1e6;
var short = 2e5;
var rows = {
  "claude-3-haiku": [short, true, false],
  "claude-3-sonnet": [short, true, false],
  "claude-3-opus": [short, true, false],
  "claude-3-5-haiku": [short, true, false],
  "claude-3-5-sonnet": [short, true, false],
  "claude-3-7-sonnet": [short, true, false],
  "claude-opus-4": [short, true, true],
  "claude-opus-4-0": [short, true, true],
  "claude-sonnet-4": [short, true, true],
  "claude-sonnet-4-0": [short, true, true],
  "claude-opus-4-1": [short, true, true],
  "claude-haiku-4-5": [short, true, true],
  "claude-sonnet-4-5": [short, true, true],
  "claude-opus-4-5": [short, true, true],
  "claude-sonnet-4-6": [long, false, true],
  "claude-opus-4-6": [long, false, true],
  "claude-opus-4-7": [long, false, true],
  "claude-opus-4-8": [long, false, true],
  "claude-opus-5": [long, false, true],
  "claude-opus-5-5": [long, false, true],
  "claude-sonnet-5": [long, false, true],
  "claude-sonnet-5-5": [long, false, true],
  "claude-fable-5": [long, false, true],
  "claude-fable-5-1": [long, false, true]
};
var shortContextImages = 100;
var otherMaxImages = 600;
function modelFactsOf(model2) {
  const name = withoutModelDate(plainModelName(model2));
  const row = Object.hasOwn(rows, name) ? rows[name] : void 0;
  if (row === void 0) return void 0;
  const [ownContext, takesPrefill, omitsThinking] = row;
  const contextTokens = asksForLongContext(model2) ? long : ownContext;
  return {
    contextTokens,
    takesPrefill,
    omitsThinking,
    maxImages: contextTokens === short ? shortContextImages : otherMaxImages
  };
}

// src/api/request-view.ts
function viewRequest(request) {
  const raw = isArray(request) ? { messages: request } : request;
  const given = asObject(raw) ?? {};
  const model2 = asString(given.model);
  const messages2 = isArray(given.messages) ? given.messages.map(viewMessage) : [];
  return {
    raw,
    model: model2,
    facts: model2 === void 0 ? void 0 : modelFactsOf(model2),
    messages: messages2,
    turns: messages2.filter((message2) => message2.role !== "system"),
    images: messages2.flatMap((message2) => message2.blocks.flatMap(imagesOf)),
    system: given.system,
    tools: given.tools,
    thinking: asObject(given.thinking)
  };
}
function blocksOfType(message2, ...types) {
  return (message2?.blocks ?? []).filter(({ block }) => types.some((type2) => block.type === type2));
}
function viewMessage(value, messageIndex) {
  const place = { path: `messages.${messageIndex}`, messageIndex };
  const message2 = asObject(value);
  const content2 = message2?.content;
  return { place, message: message2, role: message2?.role, content: content2, blocks: viewBlocks(content2, place) };
}
function viewBlocks(content2, place) {
  const path7 = `${place.path}.content`;
  if (typeof content2 === "string") return [{ place: { ...place, path: path7 }, block: { type: "text", text: content2 } }];
  if (!isArray(content2)) return [];
  return content2.flatMap(
    (block, blockIndex) => isObject(block) ? [{ place: { ...place, path: `${path7}.${blockIndex}`, blockIndex }, block }] : []
  );
}
function imagesOf({ place, block }) {
  if (block.type === "image") return [viewImage(block, place)];
  if (block.type !== "tool_result" || !isArray(block.content)) return [];
  return block.content.flatMap(
    (inner, i) => isObject(inner) && inner.type === "image" ? [viewImage(inner, { ...place, path: `${place.path}.tool_result.content.${i}` })] : []
  );
}
function viewImage(block, place) {
  const source2 = asObject(block.source);
  const isInline = source2?.type === "base64";
  return {
    place,
    mediaType: isInline ? asString(source2.media_type) ?? "" : void 0,
    data: isInline ? asString(source2.data) ?? "" : void 0
  };
}

// src/api/rule.ts
var requestPlace = { path: "" };
function makeRule({ code, what: what2, errorText, status = 400, isFormer, find }) {
  const former = isFormer === void 0 ? {} : { isFormer };
  return {
    code,
    what: what2,
    errorText,
    status,
    ...former,
    check: (request) => find(request).map(({ place, values, toolUseId, isEstimate }) => ({
      rule: code,
      status,
      message: fillIn(errorText, { path: place.path, ...values }),
      ...place,
      ...toolUseId === void 0 ? {} : { toolUseId },
      ...isEstimate === void 0 ? {} : { isEstimate },
      ...former
    }))
  };
}
function fillIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (name, key) => String(values[key] ?? name));
}

// src/api/rules/content.ts
var contentRules = [
  makeRule({
    code: "content-shape",
    what: "a content is a string or a list of objects",
    errorText: "{path}: Input should be a valid {kind}",
    find: ({ messages: messages2 }) => messages2.flatMap(misshapenPlaces)
  }),
  makeRule({
    code: "empty-user",
    what: "a user message has content",
    errorText: "{path}: user messages must have non-empty content",
    find: ({ turns }) => turns.filter((message2) => message2.role === "user" && isEmpty(message2))
  }),
  makeRule({
    code: "empty-assistant",
    what: "an assistant message has content, unless it is the last",
    errorText: "{path}: all messages must have non-empty content except for the optional final assistant message",
    isFormer: true,
    find: ({ turns }) => turns.slice(0, -1).filter((message2) => message2.role === "assistant" && isEmpty(message2))
  }),
  makeRule({
    code: "empty-text",
    what: "a text block is not empty",
    errorText: "{scope}: text content blocks must be non-empty",
    find: ({ messages: messages2, system }) => [
      ...emptySystemPlaces(system).map((place) => ({ place, values: { scope: "system" } })),
      ...messages2.filter(({ content: content2 }) => isArray(content2)).flatMap((message2) => blocksOfType(message2, "text")).filter(({ block }) => block.text === "").map(({ place }) => ({ place, values: { scope: "messages" } }))
    ]
  }),
  makeRule({
    code: "blank-text",
    what: "a message, and the system prompt, is not made of white space alone",
    errorText: "{scope}: text content blocks must contain non-whitespace text",
    find: ({ messages: messages2, system }) => [
      ...isBlankText(system) ? [{ place: { path: "system" }, values: { scope: "system" } }] : [],
      ...messages2.filter(isBlank).flatMap(({ blocks: blocks2 }) => blocks2.slice(0, 1)).map(({ place }) => ({ place, values: { scope: "messages" } }))
    ]
  }),
  makeRule({
    code: "trailing-space",
    what: "a last message from the assistant does not end in white space",
    errorText: "messages: final assistant content cannot end with trailing whitespace",
    find: ({ turns, facts }) => facts?.takesPrefill === false ? [] : turns.slice(-1).filter((message2) => message2.role === "assistant" && !isBlank(message2)).flatMap(({ blocks: blocks2 }) => blocks2.slice(-1).filter(endsInSpace)).map(({ place }) => ({ place }))
  })
];
function misshapenPlaces({ message: message2, content: content2, place }) {
  const path7 = `${place.path}.content`;
  if (message2 === void 0 || typeof content2 === "string") return [];
  if (!isArray(content2)) return [{ place: { ...place, path: path7 }, values: { kind: "list" } }];
  return content2.flatMap(
    (block, blockIndex) => isObject(block) ? [] : [{ place: { ...place, path: `${path7}.${blockIndex}`, blockIndex }, values: { kind: "dictionary" } }]
  );
}
function isEmpty({ content: content2 }) {
  return content2 === "" || isArray(content2) && content2.length === 0;
}
function emptySystemPlaces(system) {
  if (!isArray(system)) return [];
  return system.flatMap(
    (block, i) => isObject(block) && block.type === "text" && block.text === "" ? [{ path: `system.${i}` }] : []
  );
}
function isBlank({ blocks: blocks2 }) {
  return blocks2.length > 0 && blocks2.every(({ block }) => block.type === "text" && isBlankText(block.text));
}
function isBlankText(text) {
  return typeof text === "string" && text !== "" && text.trim() === "";
}
function endsInSpace({ block }) {
  return block.type === "text" && /\s$/.test((asString(block.text) ?? "").slice(-1));
}

// src/api/image-size.ts
function readImageSize(base64) {
  const type2 = readImageType(base64);
  if (type2 === void 0) return void 0;
  const sides = readers[type2](base64);
  return sides === void 0 || sides[0] === 0 || sides[1] === 0 ? void 0 : { type: type2, width: sides[0], height: sides[1] };
}
function readImageType(base64) {
  const start = bytesAt(base64, 0, 12).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\n")) return "image/png";
  if (start.startsWith("\xFF\xD8\xFF")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return start.startsWith("RIFF") && start.endsWith("WEBP") ? "image/webp" : void 0;
}
function decodedByteLength(base64) {
  return Buffer.byteLength(base64, "base64");
}
var readers = {
  "image/png": pngSides,
  "image/jpeg": jpegSides,
  "image/gif": gifSides,
  "image/webp": webpSides
};
function bytesAt(base64, start, length) {
  const group = Math.floor(start / 3);
  const end = Math.ceil((start + length) / 3);
  return Buffer.from(base64.slice(group * 4, end * 4), "base64").subarray(
    start - group * 3,
    start - group * 3 + length
  );
}
function pngSides(base64) {
  const header = bytesAt(base64, 12, 12);
  if (header.length < 12 || header.toString("latin1", 0, 4) !== "IHDR") return void 0;
  return [header.readUInt32BE(4), header.readUInt32BE(8)];
}
function gifSides(base64) {
  const sides = bytesAt(base64, 6, 4);
  return sides.length < 4 ? void 0 : [sides.readUInt16LE(0), sides.readUInt16LE(2)];
}
function webpSides(base64) {
  const chunk = bytesAt(base64, 12, 18);
  if (chunk.length < 13) return void 0;
  switch (chunk.toString("latin1", 0, 4)) {
    case "VP8 ":
      if (chunk.length < 18 || chunk.toString("latin1", 11, 14) !== "\x9D*") return void 0;
      return [chunk.readUInt16LE(14) & 16383, chunk.readUInt16LE(16) & 16383];
    case "VP8L": {
      if (chunk[8] !== 47) return void 0;
      const bits = chunk.readUInt32LE(9);
      return [(bits & 16383) + 1, (bits >>> 14 & 16383) + 1];
    }
    case "VP8X":
      return chunk.length < 18 ? void 0 : [chunk.readUIntLE(12, 3) + 1, chunk.readUIntLE(15, 3) + 1];
    default:
      return void 0;
  }
}
var maxJpegSegments = 4096;
function jpegSides(base64) {
  let at = 2;
  for (let i = 0; i < maxJpegSegments; i++) {
    const segment2 = bytesAt(base64, at, 9);
    if (segment2.length < 4 || segment2[0] !== 255) return void 0;
    const marker = segment2[1];
    if (marker === 255) at += 1;
    else if (isStandalone(marker)) at += 2;
    else if (marker === 217 || marker === 218) return void 0;
    else if (isFrameHeader(marker))
      return segment2.length < 9 ? void 0 : [segment2.readUInt16BE(7), segment2.readUInt16BE(5)];
    else at += 2 + Math.max(2, segment2.readUInt16BE(2));
  }
  return void 0;
}
function isStandalone(marker) {
  return marker === 1 || marker >= 208 && marker <= 215;
}
function isFrameHeader(marker) {
  return marker >= 192 && marker <= 207 && marker !== 196 && marker !== 200 && marker !== 204;
}

// src/api/rules/images.ts
var maxImageBytes = 5242880;
var maxSide = 8e3;
var maxSideOfMany = 2e3;
var manyImages = 20;
var mediaTypes = /* @__PURE__ */ new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
var imageRules = [
  makeRule({
    code: "image-count",
    what: "at most 100 images on models with a context of 200k tokens, 600 on others",
    errorText: "Too much media: 0 document pages + {count} images > {limit}",
    find: ({ images, facts }) => {
      const limit = facts?.maxImages ?? otherMaxImages;
      return images.length > limit ? [{ place: requestPlace, values: { count: images.length, limit } }] : [];
    }
  }),
  makeRule({
    code: "image-type",
    what: "an image is a JPEG, PNG, GIF or WebP",
    errorText: "{path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    find: (request) => inline(request, ({ mediaType }) => !mediaTypes.has(mediaType))
  }),
  makeRule({
    code: "image-bytes",
    what: "an image has at most 5 MB, counted in base64",
    errorText: "{path}.image.source.base64: image exceeds 5 MB maximum: {bytes} bytes > 5242880 bytes",
    find: (request) => inline(
      request,
      ({ data }) => data.length > maxImageBytes,
      ({ data }) => ({ bytes: data.length })
    )
  }),
  makeRule({
    code: "image-unreadable",
    what: "the data of an image is an image",
    errorText: "{path}.image.source.base64.data: Could not process image",
    find: (request) => inline(request, ({ data }) => readImageType(data) === void 0)
  }),
  makeRule({
    code: "image-mismatch",
    what: "the data of an image is of the type it is said to be",
    errorText: "{path}.image.source.base64.data: Image does not match the provided media type {mediaType}",
    find: (request) => inline(
      request,
      ({ data, mediaType }) => {
        const type2 = readImageType(data);
        return mediaTypes.has(mediaType) && type2 !== void 0 && type2 !== mediaType;
      },
      ({ mediaType }) => ({ mediaType })
    )
  }),
  makeRule({
    code: "image-pixels",
    what: "no side of an image is longer than 8000 pixels",
    errorText: "{path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    find: (request) => inline(request, ({ data }) => longestSide(data) > maxSide)
  }),
  makeRule({
    code: "image-pixels-many",
    what: "in a request with more than 20 images no side is longer than 2000 pixels",
    errorText: "{path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    find: (request) => request.images.length <= manyImages ? [] : inline(request, ({ data }) => {
      const side = longestSide(data);
      return side > maxSideOfMany && side <= maxSide;
    })
  })
];
function inline({ images }, isWrong, values = () => ({})) {
  return images.filter((image) => image.data !== void 0 && image.mediaType !== void 0).filter(isWrong).map((image) => ({ place: image.place, values: values(image) }));
}
function longestSide(data) {
  const size = readImageSize(data);
  return size === void 0 ? 0 : Math.max(size.width, size.height);
}

// src/api/rules/roles.ts
var roleRules = [
  makeRule({
    code: "no-messages",
    what: "there is at least one message",
    errorText: "messages: at least one message is required",
    find: ({ messages: messages2 }) => messages2.length === 0 ? [{ place: { ...requestPlace, path: "messages" } }] : []
  }),
  makeRule({
    code: "unknown-role",
    what: "a message is an object whose role is `user` or `assistant`",
    errorText: "{path}.role: Input should be 'user' or 'assistant'",
    find: ({ messages: messages2 }) => messages2.filter(({ role: role2 }) => role2 !== "user" && role2 !== "assistant" && role2 !== "system")
  }),
  makeRule({
    code: "system-role",
    what: "only models from Opus 4.8 on take messages of the role `system`",
    errorText: 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    find: ({ messages: messages2, model: model2 }) => model2 === void 0 || takesSystemRole(model2) ? [] : messages2.filter(({ role: role2 }) => role2 === "system")
  }),
  makeRule({
    code: "first-role",
    what: "the first message is from the user",
    errorText: 'messages: first message must use the "user" role',
    // Accepted by Anthropic but not by Bedrock in 2024: anthropics/anthropic-sdk-typescript#622.
    isFormer: true,
    find: ({ turns }) => turns.slice(0, 1).filter(({ role: role2 }) => role2 === "assistant")
  }),
  makeRule({
    code: "prefill",
    what: "the last message is from the user, on models that take no prefill (4.6 and later)",
    errorText: "This model does not support assistant message prefill. The conversation must end with a user message.",
    find: ({ turns, facts }) => facts === void 0 || facts.takesPrefill ? [] : turns.slice(-1).filter(({ role: role2 }) => role2 === "assistant")
  })
];

// src/api/json-size.ts
var longStringChars = 64 * 1024 * 1024;
function jsonByteLength(value) {
  let bytes = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string") bytes += stringByteLength(next);
    else if (isArray(next)) {
      bytes += 2 + Math.max(0, next.length - 1);
      for (const item of next) left.push(item === void 0 ? null : item);
    } else if (isObject(next)) {
      const members = Object.entries(next).filter(([, inner]) => inner !== void 0);
      bytes += 2 + Math.max(0, members.length - 1) + members.length;
      for (const [key, inner] of members) left.push(key, inner);
    } else bytes += String(next).length;
  }
  return bytes;
}
function stringByteLength(text) {
  return text.length > longStringChars ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}
var unreadMembers = /* @__PURE__ */ new Set([
  "signature",
  "data",
  "cache_control",
  "type",
  "role",
  "tool_use_id"
]);
var bytesPerToken = 4;
function estimateTextTokens(value) {
  let bytes = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next);
    else if (isArray(next)) for (const item of next) left.push(item);
    else if (isObject(next)) {
      for (const [key, inner] of Object.entries(next)) if (!unreadMembers.has(key)) left.push(inner);
    }
  }
  return Math.floor(bytes / bytesPerToken);
}

// src/api/rules/size.ts
var maxRequestBytes = 32 * 1024 * 1024;
var maxCacheMarks = 4;
var sizeRules = [
  makeRule({
    code: "request-bytes",
    what: "the body of a request has at most 32 MB",
    errorText: "request_too_large: Request exceeds the maximum allowed number of bytes.",
    status: 413,
    find: ({ raw }) => jsonByteLength(raw) > maxRequestBytes ? [{ place: requestPlace }] : []
  }),
  makeRule({
    code: "prompt-tokens",
    what: "the prompt fits the context of the model (estimated)",
    errorText: "prompt is too long: {tokens} tokens > {limit} maximum",
    find: (request) => {
      const limit = request.facts?.contextTokens;
      if (limit === void 0) return [];
      const tokens = estimateTokens(request);
      return tokens > limit ? [{ place: requestPlace, isEstimate: true, values: { tokens, limit } }] : [];
    }
  }),
  makeRule({
    code: "cache-marks",
    what: "at most four blocks have a cache_control",
    errorText: "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
    find: (request) => {
      const marked = cacheMarks(request);
      const place = marked[maxCacheMarks];
      return place === void 0 ? [] : [{ place, values: { count: marked.length } }];
    }
  })
];
function estimateTokens({ raw, images }) {
  const { messages: messages2, system, tools } = raw;
  const text = estimateTextTokens([messages2, system, tools]);
  return images.reduce((sum, image) => sum + imageTokens(image), text);
}
var maxImageTokens = 1600;
var pixelsPerToken = 750;
function imageTokens({ data }) {
  const size = data === void 0 ? void 0 : readImageSize(data);
  if (size === void 0) return maxImageTokens;
  return Math.min(maxImageTokens, Math.ceil(size.width * size.height / pixelsPerToken));
}
function cacheMarks({ tools, system, messages: messages2 }) {
  return [
    ...marksIn(tools, { path: "tools" }),
    ...marksIn(system, { path: "system" }),
    ...messages2.flatMap(
      ({ blocks: blocks2 }) => blocks2.flatMap(({ place, block }) => [
        ...isObject(block.cache_control) ? [place] : [],
        ...block.type === "tool_result" ? marksIn(block.content, place, `${place.path}.tool_result.content`) : []
      ])
    )
  ];
}
function marksIn(list, place, path7 = place.path) {
  if (!isArray(list)) return [];
  return list.flatMap(
    (item, i) => isObject(item) && isObject(item.cache_control) ? [{ ...place, path: `${path7}.${i}` }] : []
  );
}

// src/api/signature.ts
var wholeEnd = /(?:GAE=|YAQ==|[BRhx]gB)$/;
function isCutSignature(signature) {
  const promised = promisedBytes(signature);
  if (promised === void 0 || wholeEnd.test(signature)) return false;
  return signature.length % 4 !== 0 || decodedByteLength(signature) < promised;
}
function promisedBytes(signature) {
  const bytes = Buffer.from(signature.slice(0, 16), "base64");
  let at = bytes[0] === 8 ? 2 : 0;
  if (bytes[at++] !== 18) return void 0;
  let length = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++];
    if (byte === void 0) return void 0;
    length |= (byte & 127) << shift;
    if (byte < 128) return at + length;
  }
  return void 0;
}

// src/api/rules/thinking.ts
var thinkingRules = [
  makeRule({
    code: "thinking-unsigned",
    what: "a thinking block has a signature",
    errorText: "{path}.thinking.signature: Field required",
    find: ({ turns }) => turns.flatMap((message2) => blocksOfType(message2, "thinking")).filter(({ block }) => !isString2(block.signature))
  }),
  makeRule({
    code: "thinking-signature",
    what: "the signature of thinking is whole and fits its text",
    errorText: "{path}: Invalid `signature` in `thinking` block",
    find: (request) => {
      const latest = latestAnswer(request);
      return request.turns.filter((message2) => message2 !== latest).flatMap((message2) => altered(message2, request));
    }
  }),
  makeRule({
    code: "thinking-altered",
    what: "the thinking of the latest assistant message is as the model wrote it",
    errorText: "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    find: (request) => altered(latestAnswer(request), request)
  }),
  makeRule({
    code: "redacted-thinking-data",
    what: "a redacted_thinking block has its data",
    errorText: "{path}: Invalid `data` in `redacted_thinking` block",
    find: ({ turns }) => turns.flatMap((message2) => blocksOfType(message2, "redacted_thinking")).filter(({ block }) => !asString(block.data))
  }),
  makeRule({
    code: "thinking-last",
    what: "an assistant message does not end in thinking",
    errorText: "{message}: The final block in an assistant message cannot be `{type}`.",
    find: ({ turns }) => turns.flatMap(({ role: role2, blocks: blocks2, place }) => {
      const last = blocks2.at(-1);
      if (role2 !== "assistant" || last === void 0 || !isThinking(last)) return [];
      return [{ place: last.place, values: { message: place.path, type: String(last.block.type) } }];
    })
  }),
  makeRule({
    code: "thinking-first",
    what: "with thinking enabled, the assistant message of a running tool loop starts with thinking",
    errorText: "{path}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
    find: unthoughtLoop
  })
];
function isString2(value) {
  return typeof value === "string";
}
function isThinking(view) {
  return view?.block.type === "thinking" || view?.block.type === "redacted_thinking";
}
function latestAnswer({ turns }) {
  return turns.findLast((message2) => message2.role === "assistant");
}
function altered(message2, { facts }) {
  return blocksOfType(message2, "thinking").filter(({ block: { signature, thinking } }) => {
    if (!isString2(signature)) return false;
    return signature === "" || isCutSignature(signature) || thinking === "" && facts?.omitsThinking === false;
  });
}
function unthoughtLoop({ turns, thinking }) {
  if (thinking?.type !== "enabled" || !isResultMessage(turns.at(-1))) return [];
  const last = turns.at(-2);
  if (last === void 0 || blocksOfType(last, "tool_use").length === 0) return [];
  let start = turns.length - 2;
  while (isResultMessage(turns[start - 1]) && turns[start - 2]?.role === "assistant") start -= 2;
  const first = last.blocks[0];
  if (first === void 0 || isThinking(first) || isThinking(turns[start]?.blocks[0])) return [];
  return [{ place: first.place, values: { found: String(first.block.type) } }];
}
function isResultMessage(message2) {
  return message2?.role === "user" && blocksOfType(message2, "tool_result").length > 0;
}

// src/api/rules/tool-fields.ts
var namePattern = "^[a-zA-Z0-9_-]{1,128}$";
var idPattern = "^[a-zA-Z0-9_-]+$";
var isName = new RegExp(namePattern);
var isId = new RegExp(idPattern);
var toolFieldRules = [
  makeRule({
    code: "tool-input",
    what: "the input of a tool_use is an object",
    errorText: "{path}.tool_use.input: Input should be a valid dictionary",
    find: (request) => ofCalls(request, ({ block }) => !isObject(block.input))
  }),
  makeRule({
    code: "tool-name",
    what: "a tool name is of letters, digits, `_` and `-`, 128 at most",
    errorText: `{path}.tool_use.name: String should match pattern '${namePattern}'`,
    find: (request) => ofCalls(request, ({ block }) => !isName.test(asString(block.name) ?? ""))
  }),
  makeRule({
    code: "tool-id",
    what: "the id of a tool_use is of letters, digits, `_` and `-`",
    errorText: `{path}.tool_use.id: String should match pattern '${idPattern}'`,
    find: (request) => ofCalls(request, ({ block }) => !isId.test(asString(block.id) ?? ""))
  }),
  makeRule({
    code: "result-id",
    what: "a tool_result names a tool_use",
    errorText: "{path}.tool_result.tool_use_id: Field required",
    find: ({ messages: messages2 }) => messages2.flatMap((message2) => blocksOfType(message2, "tool_result")).filter(({ block }) => typeof block.tool_use_id !== "string")
  })
];
function ofCalls({ messages: messages2 }, isWrong) {
  return messages2.flatMap((message2) => blocksOfType(message2, "tool_use")).filter(isWrong).map(({ place, block }) => ({ place, ...typeof block.id === "string" ? { toolUseId: block.id } : {} }));
}

// src/api/rules/tool-pairs.ts
var unansweredText = "messages.{N}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
var toolPairRules = [
  makeRule({
    code: "unanswered-tool",
    what: "every tool_use is answered in the very next user message",
    errorText: unansweredText,
    find: ({ turns }) => turns.flatMap((message2, i) => unanswered(message2, turns[i + 1]))
  }),
  makeRule({
    code: "orphan-result",
    what: "every tool_result answers a tool_use of the message before",
    errorText: "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    find: ({ turns }) => turns.flatMap((message2, i) => orphans(message2, turns[i - 1]))
  }),
  makeRule({
    code: "duplicate-tool-id",
    what: "no two tool_use have the same id",
    errorText: "{path}: `tool_use` ids must be unique",
    find: ({ turns }) => repeated(turns.flatMap((message2) => message2.role === "assistant" ? calls(message2) : []))
  }),
  makeRule({
    code: "duplicate-result",
    what: "a tool_use has one tool_result",
    errorText: "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
    find: ({ turns }) => turns.flatMap((message2) => message2.role === "user" ? repeated(results(message2)) : [])
  }),
  makeRule({
    code: "results-first",
    what: "results stand before anything else in their message",
    errorText: unansweredText,
    find: lateResults
  }),
  makeRule({
    code: "tool-role",
    what: "calls are in assistant messages, results in user messages",
    errorText: "{path}: `{type}` blocks can only be in `{role}` messages",
    find: ({ turns }) => turns.flatMap((message2) => [
      ...message2.role === "user" ? misplaced(message2, "tool_use", "assistant") : [],
      ...message2.role === "assistant" ? misplaced(message2, "tool_result", "user") : []
    ])
  })
];
function calls(message2) {
  return withIds(blocksOfType(message2, "tool_use"), "id");
}
function results(message2) {
  return withIds(blocksOfType(message2, "tool_result"), "tool_use_id");
}
function withIds(blocks2, key) {
  return blocks2.flatMap((view) => {
    const id = asString(view.block[key]);
    return id === void 0 ? [] : [{ ...view, id }];
  });
}
function unanswered(message2, next) {
  if (message2.role !== "assistant") return [];
  const answered = new Set(next?.role === "user" ? results(next).map(({ id }) => id) : []);
  const open = calls(message2).filter(({ id }) => !answered.has(id));
  const ids = listIds(open);
  return open.map(({ place, id }) => ({ place, toolUseId: id, values: { N: message2.place.messageIndex, ids } }));
}
var maxListedIds = 100;
function listIds(blocks2) {
  const ids = [...new Set(blocks2.map(({ id }) => id))];
  return [...ids.slice(0, maxListedIds), ...ids.length > maxListedIds ? ["\u2026"] : []].join(", ");
}
function orphans(message2, before) {
  if (message2.role !== "user") return [];
  const asked = new Set(before?.role === "assistant" ? calls(before).map(({ id }) => id) : []);
  return results(message2).filter(({ id }) => !asked.has(id)).map(({ place, id }) => ({ place, toolUseId: id, values: { id } }));
}
function repeated(blocks2) {
  const seen = /* @__PURE__ */ new Set();
  return blocks2.filter(({ id }) => seen.has(id) || !seen.add(id)).map(({ place, id }) => ({ place, toolUseId: id, values: { id } }));
}
function lateResults({ turns }) {
  return turns.flatMap((message2, i) => {
    const before = turns[i - 1];
    if (message2.role !== "user" || before?.role !== "assistant") return [];
    const first = message2.blocks.findIndex(({ block }) => block.type !== "tool_result");
    if (first < 0) return [];
    const asked = new Set(calls(before).map(({ id }) => id));
    const late = withIds(
      message2.blocks.slice(first).filter(({ block }) => block.type === "tool_result"),
      "tool_use_id"
    ).filter(({ id }) => asked.has(id));
    const ids = listIds(late);
    return late.map(({ place, id }) => ({ place, toolUseId: id, values: { N: before.place.messageIndex, ids } }));
  });
}
function misplaced(message2, type2, role2) {
  return blocksOfType(message2, type2).map(({ place }) => ({ place, values: { type: type2, role: role2 } }));
}

// src/api/rules/unicode.ts
var unicodeRules = [
  makeRule({
    code: "lone-surrogate",
    what: "every string and key is valid Unicode",
    errorText: "The request body is not valid JSON: no low surrogate in string",
    find: ({ messages: messages2, system, tools }) => [
      ...isBroken(tools) ? [{ path: "tools" }] : [],
      ...isBroken(system) ? [{ path: "system" }] : [],
      ...messages2.flatMap(brokenPlaces)
    ].map((place) => ({ place }))
  })
];
function brokenPlaces({ message: message2, place, blocks: blocks2 }) {
  if (!isBroken(message2)) return [];
  const inBlocks = blocks2.filter(({ block }) => isBroken(block)).map((view) => view.place);
  return inBlocks.length > 0 ? inBlocks : [place];
}
function isBroken(value) {
  return value !== void 0 && hasLoneSurrogate(value);
}

// src/api/api-rules.ts
var apiRules = [
  ...sizeRules,
  ...roleRules,
  ...contentRules,
  ...toolPairRules,
  ...toolFieldRules,
  ...thinkingRules,
  ...imageRules,
  ...unicodeRules
];

// src/api/check-request.ts
function checkRequest(request) {
  const view = viewRequest(request);
  return apiRules.flatMap((rule) => rule.check(view)).sort(byPlace);
}
function checkImageRules(request) {
  const view = viewRequest(request);
  return imageRules.flatMap((rule) => rule.check(view)).sort(byPlace);
}
function byPlace(a, b) {
  return (a.messageIndex ?? -1) - (b.messageIndex ?? -1) || (a.blockIndex ?? -1) - (b.blockIndex ?? -1);
}

// src/doctor/finding.ts
var severities = ["fatal", "loss", "warn", "info"];
var byCost = "loss, where a resume leaves something out for it; warn, where only clients up to 2.1.45 do; else info";
var damageClasses = {
  "L-torn-tail": {
    title: "a record is cut off",
    severity: "loss, where it was a message; else warn",
    repair: "set the fragment aside and end the file with a newline"
  },
  "L-no-newline": {
    title: "the last line has no newline",
    severity: "warn",
    repair: "add the newline"
  },
  "L-spliced": {
    title: "a record is cut off and a whole one follows on the same line",
    severity: "loss, where it cost a message; else warn",
    repair: "put the whole record on a line of its own and set the fragment aside"
  },
  "L-joined": {
    title: "several records stand on one line",
    severity: "loss, where a message is among those that are not read; else warn",
    repair: "put each record on a line of its own"
  },
  "L-nul": {
    title: "NUL bytes stand in a line",
    severity: "loss, where they hide a message; else warn",
    repair: "drop the NUL bytes and keep the record"
  },
  "L-bom": { title: "a byte-order mark", severity: "info", repair: "drop the mark" },
  "L-crlf": { title: "lines end in CR LF", severity: "info", repair: "end lines in LF" },
  "L-not-json": {
    title: "text that is no record",
    severity: "loss, where it hides a message; else warn",
    repair: "leave the text out; the backup keeps it"
  },
  "L-utf8": {
    title: "bytes that are not UTF-8",
    severity: "warn",
    repair: "replace the bytes by U+FFFD in a repaired line"
  },
  "L-surrogate": { title: "half of a surrogate pair", severity: "warn", repair: "replace it by U+FFFD" },
  "L-oversize": {
    title: "a line too long to be read",
    severity: "loss",
    repair: "none by itself: `clew cat` still copies it byte for byte"
  },
  "G-phantom-parent": {
    title: "the parent of a line was never written",
    severity: byCost,
    repair: "hang the line on the one before it in the same conversation"
  },
  "G-progress-fork": {
    title: "the chain runs through progress lines",
    severity: byCost,
    repair: "hang the line on what the progress lines hang on"
  },
  "G-parallel-lost": {
    title: "results of parallel calls hang beside the chain",
    severity: "loss, where a resume leaves them out; info, where only clients up to 2.1.45 do",
    repair: "hang the results on the chain, one behind the other"
  },
  "G-lost-leaf": {
    title: "the newest work is on a branch that a resume does not take",
    severity: "loss",
    repair: "choose the newest branch, or graft both in order"
  },
  "G-boundary-parent": {
    title: "a compaction does not know what it compacted",
    severity: "loss, where no summary follows and the history before it is cut off; else info",
    repair: "nothing where the summary follows; else take the boundary out of the chain"
  },
  "G-duplicate-uuid": {
    title: "a uuid is there twice",
    severity: "loss, where the two say different things and one of them is a message that is left out; else info",
    repair: "keep the first, give the second a uuid of its own where it differs"
  },
  "G-replayed": {
    title: "history was written again under new uuids",
    severity: "loss, where the copy begins anew and something before it is left out; warn, where a resume sends both; else info",
    repair: "drop the copy"
  },
  "G-foreign": {
    title: "lines of another session",
    severity: "loss, where a resume continues them instead; else warn",
    repair: "move them to a session of their own"
  },
  "G-cycle": {
    title: "parents lead in a circle",
    severity: "loss, where a resume leaves something out for it; else warn",
    repair: "cut the circle at its youngest line"
  },
  "G-no-root": {
    title: "no line is the beginning",
    severity: "warn",
    repair: "make the first line the root"
  },
  "G-refused": {
    title: "Claude Code does not resume the file",
    severity: "fatal",
    repair: "give the last message what it lacks"
  },
  "A-unanswered-tool": {
    title: "a tool call without a result",
    severity: "fatal, where it is sent so; else warn",
    repair: "insert an error result that says it was interrupted"
  },
  "A-orphan-result": {
    title: "a tool result without its call",
    severity: "fatal, where it is sent so; else warn",
    repair: "turn it into text"
  },
  "A-duplicate-tool-id": {
    title: "a tool call or its result is there twice",
    severity: "fatal, where it is sent so; else warn",
    repair: "keep the first call and its result"
  },
  "A-thinking-altered": {
    title: "thinking without a whole signature, or whose text is gone",
    severity: "fatal, where it is sent so; else warn",
    repair: "drop the thinking block"
  },
  "A-thinking-last": {
    title: "an answer ends in thinking",
    severity: "fatal, where it is sent so; else warn",
    repair: "drop the thinking block"
  },
  "A-image-size": {
    title: "an image the API does not take",
    severity: "fatal",
    repair: "put a placeholder in its place that says what it was"
  },
  "A-empty-text": {
    title: "an empty text",
    severity: "fatal, where it is sent so; else warn",
    repair: "drop the block"
  },
  "A-role-order": {
    title: "the conversation does not begin with the user, or something in it is not as the API wants it",
    severity: "fatal; warn, where only other providers than Anthropic reject it",
    repair: "repair the order"
  },
  "A-error-echo": {
    title: "an error message of the client stands as an answer",
    severity: "warn, where it is sent to the model; else info",
    repair: "leave it out"
  },
  "A-too-long": {
    title: "the conversation no longer fits the model",
    severity: "fatal; warn, where it is an estimate",
    repair: "strip tool output, images or thinking"
  },
  "F-moved": {
    title: "the project folder is gone",
    severity: "warn",
    repair: "`clew move` brings the sessions to where the folder is now"
  },
  "F-nested": { title: "a session one folder too deep", severity: "loss", repair: "move it up one folder" },
  "F-expiring": {
    title: "Claude Code is about to delete the session",
    severity: "warn",
    repair: "`clew archive` keeps a copy"
  },
  "F-main-gone": {
    title: "the main transcript is gone, its side files are there",
    severity: "loss",
    repair: "`clew restore` brings it back where it was archived"
  },
  "F-empty": { title: "no conversation in the file", severity: "info", repair: "`clew rm --empty` deletes such files" },
  "F-name": {
    title: "the name of the file is not the id in its lines",
    severity: "info",
    repair: "none needed; `clew move` renames it"
  }
};
function isDamageCode(code) {
  return Object.hasOwn(damageClasses, code);
}
function makeFinding(code, severity, { file: file2, line: line2 = 0, offset = 0, uuid: uuid2 }, message2, effect) {
  return { code, severity, file: file2, line: line2, offset, uuid: uuid2, message: message2, effect, fix: damageClasses[code].repair };
}
function compareFindings(a, b) {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.offset - b.offset || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
}

// src/session/compaction.ts
function compactionsOf(session) {
  const known = remembered.get(session.graph);
  if (known !== void 0) return known;
  const found = findCompactions(session);
  remembered.set(session.graph, found);
  return found;
}
var remembered = /* @__PURE__ */ new WeakMap();
function findCompactions({ transcript, graph }) {
  const found = [];
  const summarised = /* @__PURE__ */ new Map();
  for (const node of transcript.nodes) {
    if (!node.isCompactSummary || node.isSidechain || graph.isReplaced(node)) continue;
    const boundary = boundaryAbove(node, graph);
    if (boundary !== void 0 && !summarised.has(boundary)) summarised.set(boundary, node);
    else found.push(describe(void 0, node, {}, graph));
  }
  for (const node of transcript.nodes) {
    if (!isBoundary(node) || node.isSidechain || graph.isReplaced(node)) continue;
    found.push(describe(node, summarised.get(node), asObject(transcript.read(node).compactMetadata) ?? {}, graph));
  }
  return found.sort((a, b) => placeOf(a) - placeOf(b));
}
function boundaryAbove(summary, graph) {
  let node = graph.parentOf(summary);
  while (node !== void 0 && !isBoundary(node) && !isMessage(node)) node = graph.parentOf(node);
  return node !== void 0 && isBoundary(node) ? node : void 0;
}
function describe(boundary, summary, metadata, graph) {
  return {
    boundary,
    summary,
    time: (boundary ?? summary)?.time ?? Number.NaN,
    trigger: asString(metadata.trigger),
    preTokens: asNumber(metadata.preTokens),
    postTokens: asNumber(metadata.postTokens),
    preservedUuids: preservedUuids(metadata, graph)
  };
}
function placeOf(compaction) {
  return (compaction.boundary ?? compaction.summary)?.index ?? 0;
}
function asNumber(value) {
  return typeof value === "number" ? value : void 0;
}
function preservedUuids(metadata, graph) {
  const listed = asObject(metadata.preservedMessages)?.uuids;
  if (isArray(listed)) return listed.flatMap((uuid2) => asString(uuid2) ?? []);
  const segment2 = asObject(metadata.preservedSegment);
  if (segment2 === void 0) return [];
  const uuids = [];
  for (let node = graph.byUuid(asString(segment2.tailUuid)); node?.uuid !== void 0; node = graph.parentOf(node)) {
    uuids.push(node.uuid);
    if (node.uuid === segment2.headUuid) return uuids.reverse();
  }
  return [];
}

// src/session/replay.ts
function findReplayed(transcript, nodes) {
  if (!transcript.mayRepeat) return /* @__PURE__ */ new Set();
  const lines = nodes.filter(isMessage);
  if (!comesBack(lines)) return /* @__PURE__ */ new Set();
  const contents = lines.map((line2) => hasToolId(line2) ? "" : contentKey(transcript.read(line2)));
  const originals = repeatedIds(lines, contents);
  const isNeighbour = (i, original) => originals[i] === void 0 && original >= 0 && original < i && isTyped(lines[i]) && contents[i] === contents[original];
  for (let i = 1; i < lines.length; i++) {
    const original = (originals[i - 1] ?? -2) + 1;
    if (isNeighbour(i, original)) originals[i] = original;
  }
  for (let i = lines.length - 2; i >= 0; i--) {
    const original = (originals[i + 1] ?? -1) - 1;
    if (isNeighbour(i, original)) originals[i] = original;
  }
  return new Set(lines.filter((_, i) => originals[i] !== void 0));
}
function comesBack(lines) {
  const stretchOf = /* @__PURE__ */ new Map();
  const calls2 = /* @__PURE__ */ new Set();
  let stretch = 0;
  for (const line2 of lines) {
    if (isTyped(line2)) stretch++;
    const id = line2.type === "assistant" ? line2.message?.id : void 0;
    if (id === void 0) continue;
    if ((stretchOf.get(id) ?? stretch) !== stretch) return true;
    stretchOf.set(id, stretch);
    for (const call of callsOf(line2)) {
      if (calls2.has(call.id)) return true;
      calls2.add(call.id);
    }
  }
  return false;
}
function repeatedIds(lines, contents) {
  const first = /* @__PURE__ */ new Map();
  return lines.map((line2, i) => {
    const key = keyOf(line2, contents[i] ?? "");
    if (key === void 0) return void 0;
    const original = first.get(key);
    if (original === void 0) first.set(key, i);
    return original;
  });
}
function keyOf(line2, content2) {
  if (line2.type === "assistant") {
    const calls2 = callsOf(line2).map((call) => call.id);
    return line2.message?.id === void 0 ? void 0 : `${line2.message.id} ${calls2.join()} ${content2}`;
  }
  const results2 = resultsOf(line2).map((result) => result.toolUseId);
  if (results2.length > 0) return `results ${results2.join()} ${content2}`;
  return Number.isNaN(line2.time) ? void 0 : `typed ${line2.time} ${content2}`;
}
function hasToolId(line2) {
  return callsOf(line2).length > 0 || resultsOf(line2).length > 0 && line2.promptKind === void 0;
}
function isTyped(line2) {
  return line2?.type === "user" && resultsOf(line2).length === 0;
}

// src/session/resume/draft.ts
function textBlock(text) {
  return { type: "text", text };
}
function madeDraft(role2, content2) {
  return {
    role: role2,
    source: "made",
    content: content2,
    isBareString: false,
    id: void 0,
    model: void 0,
    isApiError: false,
    isMeta: false,
    isSystemRole: false,
    lines: []
  };
}
function draftLines(nodes, read) {
  const drafts = [];
  for (const node of nodes) {
    const draft = draftLine(node, read(node));
    if (draft !== void 0) drafts.push({ ...draft, lines: [node] });
  }
  return drafts;
}
function draftLine(node, entry) {
  switch (node.type) {
    case "assistant":
      return assistantDraft(entry);
    case "user":
      return userDraft(entry);
    case "attachment":
      return {
        ...madeDraft("user", renderedBlocks(entry.rendered)),
        source: "attachment",
        isSystemRole: entry.renderedRole === "system"
      };
    case "system":
      if (node.subtype !== "local_command") return void 0;
      return { ...madeDraft("user", [textBlock(asString(entry.content) || texts3.noContent)]), source: "local-command" };
    default:
      return void 0;
  }
}
function assistantDraft(entry) {
  const message2 = asObject(entry.message) ?? {};
  const model2 = asString(message2.model);
  return {
    ...madeDraft("assistant", wireBlocks(message2.content)),
    source: "message",
    id: asString(message2.id) || asString(entry.requestId) || void 0,
    model: model2,
    isApiError: Boolean(entry.isApiErrorMessage) && model2 === syntheticModel
  };
}
function userDraft(entry) {
  const stored = asObject(entry.message)?.content;
  return {
    ...madeDraft("user", userBlocks(entry, stored)),
    source: "message",
    isBareString: typeof stored === "string",
    isMeta: Boolean(entry.isMeta)
  };
}
function userBlocks(entry, stored) {
  if (asObject(entry.origin)?.kind === "task-notification") {
    const text = wireBlocks(stored).map((block) => asString(block.text) ?? "");
    return [textBlock(`<system-reminder>
${text.join("\n")}
</system-reminder>`)];
  }
  const blocks2 = wireBlocks(stored).map(withKnownReferences);
  return blocks2.some(holdsReference) ? [...blocks2, textBlock(texts3.toolLoaded)] : blocks2;
}
function wireBlocks(content2) {
  return blocksOf(content2);
}
function renderedBlocks(rendered) {
  if (!isArray(rendered)) return [];
  return rendered.flatMap((item) => wireBlocks(asObject(item)?.content));
}
function isReference(value) {
  return isObject(value) && value.type === "tool_reference";
}
function holdsReference(block) {
  return block.type === "tool_result" && isArray(block.content) && block.content.some(isReference);
}
function withKnownReferences(block) {
  if (!holdsReference(block) || !isArray(block.content)) return block;
  const content2 = block.content.filter(
    (item) => !isReference(item) || knownTools.has(asString(asObject(item)?.tool_name) ?? "")
  );
  return { ...block, content: content2.length > 0 ? content2 : [textBlock(texts3.referencesRemoved)] };
}

// src/session/resume/filter.ts
function filterDrafts(drafts) {
  return withoutFillers(withoutLoneThinking(withoutBlanks(withoutUnanswered(withOpenCallsClosed(drafts)))));
}
function isThinking2(block) {
  return block.type === "thinking" || block.type === "redacted_thinking";
}
function callIds(blocks2) {
  return blocks2.filter((block) => block.type === "tool_use").map((block) => block.id);
}
function resultFor(id, content2) {
  return { type: "tool_result", ...id === void 0 ? {} : { tool_use_id: id }, content: content2, is_error: true };
}
function hasResult(draft) {
  return draft.content.some((block) => block.type === "tool_result");
}
function withOpenCallsClosed(drafts) {
  const spoken = drafts.filter((draft) => draft.source === "message" && !isIdle(draft));
  const last = spoken.at(-1);
  if (last === void 0) return [...drafts];
  let from = spoken.length;
  if (last.role === "user" && hasResult(last)) {
    while (from > 0 && isAssistantOrResult(spoken[from - 1])) from--;
  } else if (last.role === "assistant" && !last.isApiError) {
    while (from > 0 && isOfMessage(spoken[from - 1], last)) from--;
  }
  const answered = answeredIds(drafts);
  const open = spoken.slice(from).flatMap((draft) => draft.role === "assistant" ? callIds(draft.content) : []).filter((id) => !answered.has(id));
  if (open.length === 0) return [...drafts];
  const results2 = open.map((id) => resultFor(id, texts3.interrupted));
  return [...drafts, { ...madeDraft("user", results2), source: "message" }];
}
function withoutUnanswered(drafts) {
  const answered = answeredIds(drafts);
  return drafts.filter((draft) => {
    const calls2 = draft.role === "assistant" ? callIds(draft.content) : [];
    return calls2.length === 0 || calls2.some((id) => answered.has(id));
  });
}
function withoutBlanks(drafts) {
  return drafts.filter((draft) => !isBlank2(draft));
}
function withoutLoneThinking(drafts) {
  const speaking = idsOf(
    drafts.filter((draft) => draft.role === "assistant" && draft.content.some((block) => !isThinking2(block)))
  );
  return drafts.filter((draft) => !isOnlyThinking(draft) || draft.id !== void 0 && speaking.has(draft.id));
}
function withoutFillers(drafts) {
  const answering = idsOf(drafts.filter((draft) => !isFiller(draft) && !isOnlyThinking(draft)));
  const kept = drafts.filter((draft) => !isFiller(draft) || draft.id !== void 0 && answering.has(draft.id));
  return withoutLoneThinking(kept);
}
function idsOf(drafts) {
  return new Set(drafts.map((draft) => draft.id));
}
function answeredIds(drafts) {
  const results2 = drafts.flatMap(
    (draft) => draft.role === "user" ? draft.content.filter((block) => block.type === "tool_result") : []
  );
  return new Set(results2.map((block) => block.tool_use_id));
}
function isAssistantOrResult(draft) {
  return draft !== void 0 && (draft.role === "assistant" || hasResult(draft));
}
function isOfMessage(draft, message2) {
  if (draft === void 0) return false;
  return draft === message2 || message2.id !== void 0 && draft.id === message2.id || hasResult(draft);
}
function isIdle(draft) {
  return isBlank2(draft) || isFiller(draft) || isOnlyThinking(draft);
}
function everyBlock(draft, test) {
  return draft.role === "assistant" && draft.content.length > 0 && draft.content.every(test);
}
function isBlank2(draft) {
  return everyBlock(draft, (block) => block.type === "text" && (asString(block.text) ?? "").trim() === "");
}
function isFiller(draft) {
  return everyBlock(draft, (block) => block.type === "text" && block.text === texts3.noContent);
}
function isOnlyThinking(draft) {
  return everyBlock(draft, isThinking2);
}

// src/session/resume/tail.ts
var reminder = /* @__PURE__ */ Symbol("own reminder");
function isReminder(block) {
  return reminder in block;
}
function withAnsweredEnd(drafts) {
  const lastMessage = drafts.findLastIndex((draft) => draft.source === "message");
  const end = lastMessage < 0 ? drafts.length - 1 : lastMessage;
  const last = drafts[end];
  if (last === void 0 || last.role !== "user" || last.source === "local-command") return [...drafts];
  if (endsInCommand(drafts, end)) return [...drafts];
  let at = end + 1;
  while (drafts[at]?.source === "attachment") at++;
  return [...drafts.slice(0, at), madeDraft("assistant", [textBlock(texts3.noResponse)]), ...drafts.slice(at)];
}
function endsInCommand(drafts, end) {
  let i = end;
  while (i >= 0 && drafts[i]?.role === "user" && commandStart.test(firstText(drafts[i]))) i--;
  const before = drafts[i];
  return before?.isMeta === true && firstText(before).startsWith("<local-command-caveat>");
}
var commandStart = /^<(local-command-stdout|local-command-stderr|command-name|command-message)>/;
function firstText(draft) {
  const block = draft?.content[0];
  return block?.type === "text" ? asString(block.text) ?? "" : "";
}
function withPrompt(drafts, prompt, hasReminders2) {
  const asked = [...drafts, madeDraft("user", [textBlock(prompt)])];
  if (!hasReminders2) return asked;
  const mark = Object.assign(textBlock(""), { [reminder]: true });
  return [...asked, { ...madeDraft("user", [mark]), source: "attachment" }];
}

// src/session/resume/merge.ts
function mergeDrafts(drafts) {
  const merging = { messages: [], lastOfId: /* @__PURE__ */ new Map(), prompts: [] };
  for (const draft of moveAttachmentsUp(drafts)) {
    if (draft.isApiError || draft.source === "attachment" && draft.content.length === 0) continue;
    if (draft.role === "assistant") addAssistant(merging, draft);
    else addUser(merging, draft);
  }
  return merging.messages.map((message2) => ({
    ...message2.first,
    content: message2.isJoined ? [...message2.results, ...message2.blocks] : message2.blocks,
    isBareString: message2.first.isBareString && message2.drafts.length === 1,
    lines: message2.drafts.flatMap(({ lines }) => lines)
  }));
}
function moveAttachmentsUp(drafts) {
  const moved = [];
  let passed = [];
  for (const draft of drafts) {
    if (draft.source === "attachment") moved.push(draft);
    else if (draft.role === "user" && !hasResult(draft)) passed.push(draft);
    else {
      moved.push(...passed, draft);
      passed = [];
    }
  }
  return [...moved, ...passed];
}
function startMessage({ messages: messages2 }, first) {
  messages2.push({ first, drafts: [first], isJoined: false, results: [], blocks: [...first.content] });
}
function addAssistant(merging, draft) {
  const { messages: messages2, lastOfId, prompts } = merging;
  const at = draft.id === void 0 ? void 0 : lastOfId.get(draft.id);
  if (at !== void 0 && at > (prompts.at(-1) ?? -1)) {
    messages2[at]?.blocks.push(...draft.content);
    messages2[at]?.drafts.push(draft);
    return;
  }
  if (draft.id !== void 0) lastOfId.set(draft.id, messages2.length);
  startMessage(merging, draft);
}
function addUser(merging, draft) {
  const { messages: messages2, prompts } = merging;
  const last = messages2.at(-1);
  if (last?.first.role !== "user") {
    if (!hasResult(draft)) prompts.push(messages2.length);
    startMessage(merging, draft);
    return;
  }
  last.drafts.push(draft);
  if (draft.source === "attachment" && endOf2(last)?.type === "tool_result") foldIntoResult(last, draft.content);
  else joinUserLine(last, draft);
  if (hasResult(draft) && prompts.at(-1) === messages2.length - 1) prompts.pop();
}
function joinUserLine(message2, draft) {
  const end = endOf2(message2);
  const meets = end?.type === "text" && draft.content[0]?.type === "text" && draft.source !== "attachment";
  if (meets) replaceEnd(message2, withNewline(end));
  const added = message2.isJoined ? draft.content : [...message2.blocks.splice(0), ...draft.content];
  message2.isJoined = true;
  for (const block of added) (block.type === "tool_result" ? message2.results : message2.blocks).push(block);
}
function endOf2({ blocks: blocks2, results: results2 }) {
  return blocks2.at(-1) ?? results2.at(-1);
}
function replaceEnd({ blocks: blocks2, results: results2 }, end) {
  const list = blocks2.length > 0 ? blocks2 : results2;
  list[list.length - 1] = end;
}
function foldIntoResult(message2, reminders) {
  const end = endOf2(message2);
  let content2 = end.content;
  for (const block of reminders) if (!isReminder(block)) content2 = fold(content2, block);
  replaceEnd(message2, { ...end, ...content2 === void 0 ? {} : { content: content2 } });
}
function fold(content2, block) {
  if (typeof content2 === "string") return `${content2}

${asString(block.text) ?? ""}`;
  const items = isArray(content2) ? content2 : [];
  const last = items.at(-1);
  if (!isObject(last)) return [...items, block];
  return [...items.slice(0, -1), last.type === "text" ? withNewline(last) : last, block];
}
function withNewline(block) {
  return { ...block, text: `${asString(block.text) ?? ""}
` };
}
function callsLast(content2) {
  const isCall = (block) => block?.type === "tool_use";
  for (const [i, block] of content2.entries()) {
    if (!isThinking2(block) || !isCall(content2[i + 1])) continue;
    let next = i + 1;
    while (isCall(content2[next])) next++;
    const behind2 = content2[next];
    if (behind2 !== void 0 && isThinking2(behind2)) return content2;
  }
  return [...content2.filter((block) => !isCall(block)), ...content2.filter(isCall)];
}

// src/session/resume/model.ts
function requestModel(drafts) {
  const last = drafts.findLast((draft) => draft.role === "assistant" && draft.model && draft.model !== syntheticModel);
  const model2 = last?.model;
  return model2 !== void 0 && isOffered(model2) ? canonicalModel(model2) ?? defaultModel : defaultModel;
}
function forModel(drafts, model2) {
  return drafts.map((draft) => {
    if (draft.source === "attachment" && draft.isSystemRole && takesSystemRole(model2))
      return { ...draft, content: [] };
    if (draft.source !== "message" || draft.role !== "assistant" || isOwnThinking(draft, model2)) return draft;
    return { ...draft, content: draft.content.filter((block) => !isSignedThinking(block)) };
  }).filter((draft) => draft.role !== "user" || draft.source === "attachment" || draft.content.length > 0);
}
function isOwnThinking(draft, model2) {
  return draft.model === syntheticModel || canonicalModel(draft.model) === model2;
}
function isSignedThinking(block) {
  return isThinking2(block) && Boolean(block.signature || block.data);
}

// src/session/resume/reattach.ts
function reattach(graph, chain) {
  const lines = graph.order.filter(isReadable);
  const work = { graph, lines, out: new Sequence(), runEnds: /* @__PURE__ */ new Map(), lastPlaced: /* @__PURE__ */ new Map() };
  placeResults(work, placeMessageLines(work, chain));
  return [...work.out].filter(isReadable);
}
var Sequence = class {
  #next = /* @__PURE__ */ new Map();
  #last;
  has(line2) {
    return this.#last === line2 || this.#next.has(line2);
  }
  after(line2) {
    return this.#next.get(line2);
  }
  push(line2) {
    this.#next.set(this.#last, line2);
    this.#last = line2;
  }
  /** `place` is a line of the sequence, `line` is not. */
  insertAfter(place, line2) {
    const next = this.#next.get(place);
    if (next === void 0) {
      this.push(line2);
      return;
    }
    this.#next.set(place, line2);
    this.#next.set(line2, next);
  }
  *[Symbol.iterator]() {
    for (let line2 = this.#next.get(void 0); line2 !== void 0; line2 = this.#next.get(line2)) yield line2;
  }
};
function isReadable(node) {
  return !isMessage(node) || node.hasContent;
}
function messageIdOf2(line2) {
  return line2?.type === "assistant" ? line2.message?.id || void 0 : void 0;
}
function placeMessageLines({ lines, out }, chain) {
  const onChain = new Set(chain);
  const lastOfMessage = /* @__PURE__ */ new Map();
  for (const line2 of chain) {
    const id = messageIdOf2(line2);
    if (id !== void 0) lastOfMessage.set(id, line2);
  }
  const groups = /* @__PURE__ */ new Map();
  for (const line2 of lines) {
    const id = messageIdOf2(line2);
    if (id === void 0 || !lastOfMessage.has(id)) continue;
    const group = groups.get(id);
    if (group === void 0) groups.set(id, [line2]);
    else group.push(line2);
  }
  const messages2 = [];
  for (const line2 of chain) {
    out.push(line2);
    const id = messageIdOf2(line2);
    if (id === void 0 || lastOfMessage.get(id) !== line2) continue;
    const group = groups.get(id) ?? [];
    for (const other of group) if (!onChain.has(other)) out.push(other);
    messages2.push(group);
  }
  return messages2;
}
function placeResults(work, messages2) {
  const { graph, out } = work;
  const answered = /* @__PURE__ */ new Set();
  const answer = (line2) => {
    for (const { toolUseId } of resultsOf(line2)) answered.add(toolUseId);
  };
  for (const line2 of out) if (isReadable(line2)) answer(line2);
  const strays = strayResults(work);
  for (const lines of messages2) {
    const hanging = lines.flatMap((line2) => graph.childrenOf(line2)).filter((child) => isReadable(child) && resultsOf(child).length > 0 && !out.has(child));
    for (const result of hanging.sort((a, b) => graph.rankOf(a) - graph.rankOf(b))) {
      placeResult(work, result, graph.byUuid(graph.parentOf(result)));
      answer(result);
    }
    for (const line2 of lines) {
      for (const { id } of callsOf(line2)) {
        const holder = answered.has(id) ? void 0 : strays.get(id);
        if (holder === void 0) continue;
        placeResult(work, holder, line2);
        answer(holder);
      }
    }
  }
}
function strayResults({ lines }) {
  const callers = /* @__PURE__ */ new Map();
  const holders = /* @__PURE__ */ new Map();
  const ambiguous = /* @__PURE__ */ new Set();
  for (const line2 of lines) {
    const message2 = messageIdOf2(line2);
    if (message2 !== void 0) {
      for (const { id } of callsOf(line2)) {
        if ((callers.get(id) ?? message2) !== message2) ambiguous.add(id);
        callers.set(id, message2);
      }
    }
    if (line2.isSidechain) continue;
    for (const { toolUseId } of resultsOf(line2)) if (!holders.has(toolUseId)) holders.set(toolUseId, line2);
  }
  for (const id of ambiguous) holders.delete(id);
  return holders;
}
function placeResult(work, result, at) {
  const { graph, out, lastPlaced } = work;
  if (out.has(result)) return;
  const end = endOfRun(work, at);
  const rank = graph.rankOf(result);
  const last = lastPlaced.get(end);
  let place = last !== void 0 && graph.rankOf(last) <= rank ? last : end;
  for (let next = out.after(place); next !== void 0 && graph.rankOf(next) <= rank; next = out.after(place)) {
    if (resultsOf(next).length === 0 && next.type !== "attachment") break;
    place = next;
  }
  for (const line2 of [result, ...attachmentsBelow(work, result)]) {
    if (out.has(line2)) continue;
    out.insertAfter(place, line2);
    place = line2;
  }
  lastPlaced.set(end, place);
}
function endOfRun({ out, runEnds }, at) {
  const id = messageIdOf2(at);
  const passed = [];
  let end = at;
  for (let next = at; next !== void 0 && messageIdOf2(next) === id; next = out.after(next)) {
    end = runEnds.get(next) ?? next;
    if (end !== next) break;
    passed.push(next);
  }
  for (const line2 of passed) runEnds.set(line2, end);
  return end;
}
function attachmentsBelow({ graph }, line2) {
  const found = [];
  const waiting = [line2];
  for (let at = waiting.pop(); at !== void 0; at = waiting.pop()) {
    if (at !== line2) found.push(at);
    waiting.push(
      ...graph.childrenOf(at).filter((child) => child.type === "attachment").reverse()
    );
  }
  return found;
}

// src/session/resume/repair.ts
function repairMessages(merged) {
  const assistants = withAnswersBetween(repairAssistants(merged));
  return repairUsers(assistants).map(({ role: role2, content: content2, lines }) => ({ role: role2, content: content2.filter((block) => !isReminder(block)), lines })).filter((message2) => message2.content.length > 0).map(
    (message2) => hasLoneSurrogate(message2.content) ? { ...message2, content: wellFormed(message2.content) } : message2
  );
}
function repairAssistants(merged) {
  const used = /* @__PURE__ */ new Set();
  return merged.map((draft) => {
    if (draft.role !== "assistant") return draft;
    const spoken = callsLast(draft.content.filter((block) => block.type !== "text" || block.text !== ""));
    if (spoken.length === 0) return { ...draft, content: [citedText(texts3.noContent)] };
    const once = spoken.filter((block) => {
      if (block.type !== "tool_use") return true;
      const id = block.id;
      return !used.has(id) && used.add(id);
    });
    return { ...draft, content: once.length === 0 ? [citedText(texts3.repeatedCall)] : once.map(currentCall) };
  });
}
function withAnswersBetween(drafts) {
  return drafts.flatMap((draft, i) => {
    const opens = draft.role === "assistant" && callIds(draft.content).length > 0;
    return opens && drafts[i + 1]?.role === "assistant" ? [draft, madeDraft("user", [])] : [draft];
  });
}
function repairUsers(drafts) {
  const answered = /* @__PURE__ */ new Set();
  return drafts.map((draft, i) => {
    if (draft.role !== "user") return draft;
    const before = drafts[i - 1];
    const calls2 = new Set(before?.role === "assistant" ? callIds(before.content) : []);
    const paired = draft.content.filter((block) => {
      if (block.type !== "tool_result") return true;
      const id = block.tool_use_id;
      return calls2.has(id) && !answered.has(id) && answered.add(id);
    });
    const got = new Set(paired.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id));
    const missing = [...calls2].filter((id) => !got.has(id)).map((id) => resultFor(id, texts3.missingResult));
    const content2 = [...missing, ...paired];
    if (content2.length === 0)
      return { ...draft, content: [textBlock(i === 0 ? texts3.orphanedResult : texts3.noContent)] };
    if (draft.isBareString) return { ...draft, content: content2 };
    const spoken = content2.filter((block) => isReminder(block) || block.type !== "text" || !isBlankText2(block));
    return { ...draft, content: spoken.length === 0 ? [textBlock(texts3.noContent)] : spoken };
  });
}
function isBlankText2(block) {
  return (asString(block.text) ?? "").trim() === "";
}
function citedText(text) {
  return { ...textBlock(text), citations: [] };
}
function currentCall(block) {
  if (block.type !== "tool_use") return block;
  if (block.name === "Task") return { ...block, name: "Agent" };
  const input = asObject(block.input);
  if (block.name !== "SendMessage" || !input?.to) return block;
  const { type: type2, recipient, content: content2, request_id, approve, ...rest } = input;
  return { ...block, input: rest };
}
function wellFormed(value) {
  if (typeof value === "string") return value.toWellFormed();
  if (isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}

// src/session/resume/walk.ts
var bridgeMs = 5e3;
function walkChain(graph, leaf) {
  const chain = [];
  const seen = /* @__PURE__ */ new Set();
  const bridges = new TimeIndex(graph);
  let line2 = leaf;
  while (line2 !== void 0) {
    seen.add(line2);
    chain.push(line2);
    const named = graph.parentOf(line2);
    if (isBoundary(line2) || named === null || named === void 0) break;
    const parent = graph.byUuid(named);
    if (parent !== void 0 && !seen.has(parent)) line2 = parent;
    else line2 = line2.isSidechain ? void 0 : bridges.before(line2, seen);
  }
  chain.reverse();
  return [...chain, ...trailingNotes(graph, leaf, seen)];
}
function trailingNotes(graph, leaf, chain) {
  const notes = /* @__PURE__ */ new Set();
  const reached = [leaf];
  for (const line2 of reached) {
    for (const child of graph.childrenOf(line2)) {
      if (isMessage(child) || isBoundary(child) || child.isSidechain || chain.has(child) || notes.has(child)) continue;
      reached.push(child);
      notes.add(child);
    }
  }
  return [...notes].sort((a, b) => graph.rankOf(a) - graph.rankOf(b));
}
var TimeIndex = class {
  #graph;
  #byTime;
  /** Where to look on from a line that is taken: without it, many dangling lines of one time cost quadratic time. */
  #beforeTaken = /* @__PURE__ */ new Map();
  constructor(graph) {
    this.#graph = graph;
  }
  before(line2, taken) {
    const { time } = line2;
    if (Number.isNaN(time)) return void 0;
    const graph = this.#graph;
    this.#byTime ??= graph.order.filter((node) => !node.isSidechain && !Number.isNaN(node.time)).sort((a, b) => a.time - b.time || graph.rankOf(b) - graph.rankOf(a));
    const sorted = this.#byTime;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (sorted[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    const candidate = sorted[this.#lastFree(sorted, low - 1, taken)];
    return candidate !== void 0 && time - candidate.time <= bridgeMs ? candidate : void 0;
  }
  /** The place of the last line up to `from` that is not taken, or -1. The line itself is among the taken. */
  #lastFree(sorted, from, taken) {
    const passed = [];
    let at = from;
    while (at >= 0 && taken.has(sorted[at])) {
      passed.push(at);
      at = this.#beforeTaken.get(at) ?? at - 1;
    }
    for (const place of passed) this.#beforeTaken.set(place, at);
    return at;
  }
};

// src/session/resume/request.ts
function requestMessages(session, prompt) {
  const traced = traceMessages(session, prompt);
  if ("refused" in traced) return traced;
  return { messages: traced.messages.map(({ role: role2, content: content2 }) => ({ role: role2, content: content2 })), model: traced.model };
}
function traceMessages(session, prompt) {
  const source2 = session.transcript;
  const resumed = resumeLines(source2);
  if ("refused" in resumed) return resumed;
  const { lines } = resumed;
  const filtered = filterDrafts(draftLines(lines, (node) => source2.read(node)));
  const model2 = requestModel(filtered);
  const answered = withAnsweredEnd(forModel(filtered, model2));
  const asked = prompt === void 0 ? answered : withPrompt(answered, prompt, hasReminders(lines, model2));
  return { messages: repairMessages(mergeDrafts(asked)), model: model2 };
}
function resumeLines(source2) {
  const graph = buildResumeGraph(source2.nodes, (node) => source2.read(node));
  const choice = chooseLeaf(graph);
  return "refused" in choice ? choice : { lines: reattach(graph, walkChain(graph, choice.leaf)) };
}
function hasReminders(lines, model2) {
  return !takesSystemRole(model2) || !lines.some((node) => node.subtype === "remote_session_change");
}

// src/session/reachable.ts
function expectedOf(session) {
  const branch = session.branches[0];
  if (branch === void 0) return { order: [], entries: [], copies: /* @__PURE__ */ new Set(), compaction: void 0, compacted: 0 };
  const start = lastCompaction(session, branch.nodes);
  const way = [...branch.nodes.slice(start.index), ...unreadEnd(session, branch.leaf)];
  const onWay = new Set(way);
  const order = [
    ...start.kept.filter((node) => !onWay.has(node)),
    ...way.flatMap((node) => [node, ...branch.beside.get(node) ?? []])
  ];
  const copies2 = writtenAgain(session, branch);
  const entries = order.filter((node) => isConversation(session, node) && !copies2.has(node));
  return { order, entries, copies: copies2, compaction: start.node, compacted: start.index };
}
function writtenAgain({ transcript }, { nodes }) {
  const copies2 = findReplayed(transcript, nodes);
  return [...copies2].some((node) => node.type === "assistant") ? copies2 : /* @__PURE__ */ new Set();
}
function lastCompaction(session, way) {
  let start = { index: 0, node: void 0, kept: [] };
  const compactions = compactionsOf(session);
  if (compactions.length === 0) return start;
  const places2 = new Map(way.map((node, index) => [node, index]));
  for (const { boundary, summary, preservedUuids: preservedUuids2 } of compactions) {
    const node = boundary ?? summary;
    const index = node === void 0 ? void 0 : places2.get(node);
    if (node === void 0 || index === void 0 || index < start.index) continue;
    if (summary === void 0 && preservedUuids2.length === 0) continue;
    start = { index, node, kept: preservedUuids2.flatMap((uuid2) => session.graph.byUuid(uuid2) ?? []) };
  }
  return start;
}
function unreadEnd(session, leaf) {
  const end = [];
  for (let tip = leaf; tip !== void 0; ) {
    const next = session.branches.find((branch) => branch.fork === tip && branch.nodes[0]?.hidden === true);
    end.push(...next?.nodes ?? []);
    tip = next?.leaf;
  }
  return end;
}
function isConversation({ graph, isAgent }, node) {
  if (!isMessage(node) || !node.hasContent || node.isApiError) return false;
  return (isAgent || !node.isSidechain) && !graph.isReplaced(node);
}
function missingFrom(chain, { entries }, { transcript }) {
  const missing = entries.filter((node) => !chain.has(node));
  if (missing.length === 0 || !transcript.mayRepeat) return new Set(missing);
  const keyOf2 = (node) => {
    const ids = [...callsOf(node).map((call) => call.id), ...resultsOf(node).map((result) => result.toolUseId)];
    return `${node.type} ${node.message?.id} ${ids.join()} ${contentKey(transcript.read(node))}`;
  };
  const held = new Set([...chain].filter(isMessage).map(keyOf2));
  return new Set(missing.filter((node) => !held.has(keyOf2(node))));
}

// src/session/resume/old-client.ts
function oldResumeLines({ nodes, diagnostics }) {
  const unread = new Set(diagnostics.filter(({ code }) => spoilsLine.has(code)).map(({ line: line2 }) => line2));
  const byUuid = /* @__PURE__ */ new Map();
  for (const node of nodes) {
    if (node.uuid === void 0 || node.hidden || unread.has(node.line)) continue;
    if (isMessage(node) || isNote(node) || node.type === "progress") byUuid.set(node.uuid, node);
  }
  const chain = /* @__PURE__ */ new Set();
  for (let line2 = newest(byUuid.values()); line2 !== void 0 && !chain.has(line2); ) {
    chain.add(line2);
    line2 = isBoundary(line2) ? void 0 : byUuid.get(line2.parentUuid ?? "");
  }
  return [...chain].reverse().filter((line2) => line2.type !== "progress");
}
var spoilsLine = /* @__PURE__ */ new Set(["L-joined", "L-spliced", "L-nul", "L-not-json", "L-torn-tail"]);
function newest(lines) {
  let found;
  for (const line2 of lines) {
    if (line2.isSidechain || Number.isNaN(line2.time)) continue;
    if (found === void 0 || line2.time >= found.time) found = line2;
  }
  return found;
}

// src/doctor/patient.ts
function examine(session) {
  const expected = expectedOf(session);
  const { transcript, isAgent } = session;
  const resumed = isAgent ? { lines: transcript.nodes.filter((node) => !node.hidden) } : resumeLines(transcript);
  const chain = new Set("lines" in resumed ? resumed.lines : []);
  const oldChain = isAgent ? chain : new Set(oldResumeLines(transcript));
  const lost = missingFrom(chain, expected, session);
  const oldLost = missingFrom(oldChain, expected, session);
  return {
    ...expected,
    session,
    file: transcript.path,
    refused: "refused" in resumed ? resumed.refused : void 0,
    chain,
    oldChain,
    lost,
    oldLost,
    places: new Map(expected.order.map((node, place) => [node, place])),
    lostBefore: countBefore(expected, lost),
    oldLostBefore: countBefore(expected, oldLost)
  };
}
function countBefore({ order, entries }, lost) {
  const counts2 = new Int32Array(order.length);
  if (lost.size === 0) return counts2;
  const expected = new Set(entries);
  let run = 0;
  for (const [place, node] of order.entries()) {
    counts2[place] = run;
    if (lost.has(node)) run++;
    else if (expected.has(node)) run = 0;
  }
  return counts2;
}
function reachOf(patient) {
  return { loaded: patient.entries.length - patient.lost.size, of: patient.entries.length };
}
function oldReachOf(patient) {
  return { loaded: patient.entries.length - patient.oldLost.size, of: patient.entries.length };
}
function placeOf2({ file: file2 }, node) {
  return { file: file2, line: node.line, offset: node.offset, uuid: node.uuid };
}
function costOfBreak(patient, node) {
  const place = patient.places.get(node);
  if (place === void 0) return { severity: "info", effect: "it is on a branch that a resume does not take" };
  if (patient.session.isAgent) return { severity: "info", effect: "a sub-agent is not resumed; nothing is lost" };
  if ((patient.lostBefore[place] ?? 0) > 0) {
    const isStart = patient.chain.has(node);
    const where = isStart ? "a resume begins here" : "a resume begins further on, and would begin here without that";
    return { severity: "loss", effect: `${where}: ${reachText(reachOf(patient))}` };
  }
  if ((patient.oldLostBefore[place] ?? 0) > 0) {
    const old = reachText(oldReachOf(patient));
    return { severity: "warn", effect: `the current client bridges it; clients up to 2.1.45 begin here: ${old}` };
  }
  return { severity: "info", effect: "nothing is lost by it" };
}
function reachText({ loaded, of }) {
  return `it loads ${loaded} of ${of} ${of === 1 ? "entry" : "entries"}`;
}

// src/doctor/stored-blocks.ts
function storedBlocks(patient, node, entry) {
  const content2 = asObject(entry.message)?.content;
  const blocks2 = blocksOf(content2);
  const findings = [];
  if (blocks2.some((block) => block.type === "text" && block.text === "")) {
    const effect = "the current client leaves it out; clients up to 2.1.150 send it, and the API answers 400";
    findings.push(makeFinding("A-empty-text", "warn", placeOf2(patient, node), "an empty text block", effect));
  }
  if (node.type === "assistant" && blocks2.some(isUnsigned)) {
    const effect = "it is left out of the request for now; sent back to its own model, the API answers 400";
    const message2 = "thinking without its signature";
    findings.push(makeFinding("A-thinking-altered", "warn", placeOf2(patient, node), message2, effect));
  }
  return findings;
}
function isUnsigned(block) {
  return block.type === "thinking" && !asString(block.signature);
}

// src/doctor/stored-calls.ts
function checkStoredCalls(patient) {
  if (patient.session.isAgent) return [];
  const lines = patient.entries;
  return [
    ...unanswered2(patient, lines),
    ...orphans2(patient, lines),
    ...duplicates(patient, lines),
    ...thinkingLast(patient, lines)
  ];
}
function unanswered2(patient, lines) {
  const { relatives } = patient.session;
  return lines.flatMap((node) => {
    const open = callsOf(node).filter((call) => relatives.resultsFor(call.id).length === 0);
    if (open.length === 0) return [];
    const names = open.map((call) => `${call.name} (${call.id})`).join(", ");
    const isWhole = open.length === callsOf(node).length;
    const current = isWhole ? "the current client leaves the line out, or at the end says that it was interrupted" : "the current client puts an error in its place";
    const effect = `${current}; sent as it is, the API answers 400`;
    return makeFinding("A-unanswered-tool", "warn", placeOf2(patient, node), `no result for ${names}`, effect);
  });
}
function orphans2(patient, lines) {
  const { transcript } = patient.session;
  const made = new Set(transcript.nodes.flatMap((node) => callsOf(node).map((call) => call.id)));
  return lines.flatMap((node) => {
    const lone = resultsOf(node).filter((result) => !made.has(result.toolUseId));
    if (lone.length === 0) return [];
    const message2 = `no call ${lone.map((result) => result.toolUseId).join(", ")} for this result`;
    const effect = "the current client removes it; sent as it is, the API answers 400";
    return makeFinding("A-orphan-result", "warn", placeOf2(patient, node), message2, effect);
  });
}
function duplicates(patient, lines) {
  const calls2 = /* @__PURE__ */ new Map();
  const results2 = /* @__PURE__ */ new Map();
  const findings = [];
  const note = (seen, id, node, what2) => {
    const earlier = seen.get(id);
    if (earlier === void 0) {
      seen.set(id, node);
      return;
    }
    const message2 = `${what2} ${id} is on line ${earlier.line} already`;
    const effect = "the current client keeps the first; clients up to 2.1.45 send both, and the API answers 400";
    findings.push(makeFinding("A-duplicate-tool-id", "warn", placeOf2(patient, node), message2, effect));
  };
  for (const node of lines) {
    for (const { id } of callsOf(node)) note(calls2, id, node, "the call");
    for (const { toolUseId } of resultsOf(node)) note(results2, toolUseId, node, "the result for");
  }
  return findings;
}
function thinkingLast(patient, lines) {
  const byMessage = /* @__PURE__ */ new Map();
  for (const node of lines) {
    if (node.type !== "assistant") continue;
    const id = node.message?.id ?? `line ${node.line}`;
    const known = byMessage.get(id);
    if (known === void 0) byMessage.set(id, [node]);
    else known.push(node);
  }
  return [...byMessage.values()].flatMap((nodes) => {
    const last = nodes.reduce((a, b) => b.index > a.index ? b : a);
    const types = nodes.flatMap((node) => node.message?.blockTypes ?? []);
    if (!isThinking3(last.message?.blockTypes.at(-1)) || types.every(isThinking3)) return [];
    if (types.includes("tool_use")) return [];
    const effect = "where the thinking is sent, the API answers 400";
    return makeFinding("A-thinking-last", "warn", placeOf2(patient, last), "the answer ends in thinking", effect);
  });
}
function isThinking3(type2) {
  return type2 === "thinking" || type2 === "redacted_thinking";
}

// src/doctor/stored-errors.ts
function checkErrors(patient) {
  if (patient.session.isAgent) return [];
  const lines = [...patient.refused === void 0 ? patient.chain : patient.order].filter(isMessage);
  const errors = lines.filter((node) => node.isApiError);
  const [first] = errors;
  if (first === void 0) return [];
  const sent = errors.find((node) => node.message?.model !== syntheticModel);
  const message2 = `${errors.length === 1 ? "an error message" : `${errors.length} error messages`} of the client among the answers`;
  const effect = sent === void 0 ? "the client leaves them out of every request" : "the model is told them as its own words";
  const echo = makeFinding(
    "A-error-echo",
    sent === void 0 ? "info" : "warn",
    placeOf2(patient, sent ?? first),
    message2,
    effect
  );
  return [
    echo,
    ...tooLong(
      patient,
      lines.findLast((node) => node.type === "assistant")
    )
  ];
}
function tooLong(patient, last) {
  if (last === void 0 || !last.isApiError) return [];
  const text = textOf(contentOf(readEntry(patient.session, last)));
  if (!/prompt is too long|request_too_large|exceeds the maximum allowed number of bytes/i.test(text)) return [];
  const effect = "every request fails with 400, and /compact may fail as well";
  return [
    makeFinding(
      "A-too-long",
      "fatal",
      placeOf2(patient, last),
      "the last answer says that the prompt is too long",
      effect
    )
  ];
}

// src/doctor/traced-request.ts
function traceRequest(session, prompt, onRead) {
  const { transcript } = session;
  const typed = /* @__PURE__ */ new Map();
  const read = (node) => {
    const entry = transcript.read(node);
    const content2 = asObject(entry.message)?.content;
    if (typeof content2 === "string" && !typed.has(content2)) typed.set(content2, node);
    onRead(node, entry);
    return withOrigins(entry, node);
  };
  const request = requestMessages({ transcript: { nodes: transcript.nodes, read } }, prompt);
  if ("refused" in request) return void 0;
  const originOf = (messageIndex, blockIndex) => {
    const content2 = request.messages[messageIndex ?? 0]?.content ?? [];
    const block = content2[blockIndex ?? 0];
    return lineOf(block, typed) ?? content2.map((each) => lineOf(each, typed)).find((node) => node !== void 0);
  };
  return { ...request, originOf };
}
var origin = /* @__PURE__ */ Symbol("line");
function withOrigins(entry, node) {
  const message2 = asObject(entry.message);
  if (!isArray(message2?.content)) return entry;
  const content2 = message2.content.map(
    (block) => isObject(block) ? Object.assign({ ...block }, { [origin]: node }) : block
  );
  return { ...entry, message: { ...message2, content: content2 } };
}
function lineOf(block, typed) {
  if (block === void 0) return void 0;
  const carried = block[origin];
  if (carried !== void 0) return carried;
  const text = asString(block.text);
  return text === void 0 ? void 0 : typed.get(text) ?? typed.get(text.replace(/\n$/, ""));
}

// src/doctor/api.ts
function checkHeads(patient) {
  return [...checkStoredCalls(patient), ...checkErrors(patient)];
}
function checkContent(patient) {
  const { session } = patient;
  if (session.isAgent) return { findings: [], violations: [] };
  const stored = [];
  const onRead = (node, entry) => {
    stored.push(...storedBlocks(patient, node, entry));
  };
  const request = traceRequest(session, probePrompt, onRead);
  for (const node of patient.lost) onRead(node, session.transcript.read(node));
  if (request === void 0) return { findings: stored, violations: [] };
  const { messages: messages2, model: model2 } = request;
  const isCounted = [...patient.chain].some((node) => promptTokens(node) > 0);
  const violations = checkRequest({ messages: messages2, model: model2 }).filter((violation) => violation.isEstimate !== true || !isCounted).map((violation) => ({ violation, node: request.originOf(violation.messageIndex, violation.blockIndex) }));
  const sent = violations.map(({ violation, node }) => findingOf(patient, violation, node));
  const told = new Set(sent.map(({ code, offset }) => `${code} ${offset}`));
  return {
    findings: [...sent, ...stored.filter(({ code, offset }) => !told.has(`${code} ${offset}`))],
    violations: violations.map(({ violation, node }) => ({ ...violation, line: node?.line ?? 0, uuid: node?.uuid }))
  };
}
function promptTokens({ message: message2 }) {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = message2?.usage ?? noUsage;
  return inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
}
function checkImages(patient, lines) {
  const places2 = new Set(lines);
  const nodes = [...patient.chain].filter((node) => node.type === "user" && places2.has(node.offset));
  if (nodes.length === 0) return { findings: [], violations: [] };
  const messages2 = nodes.map((node) => asObject(patient.session.transcript.read(node).message) ?? {});
  const model2 = [...patient.chain].findLast((node) => node.type === "assistant")?.message?.model;
  const found = checkImageRules({ messages: messages2, ...model2 === void 0 ? {} : { model: model2 } });
  return {
    findings: found.map((violation) => findingOf(patient, violation, nodes[violation.messageIndex ?? -1])),
    violations: found.map((violation) => {
      const node = nodes[violation.messageIndex ?? -1];
      return { ...violation, line: node?.line ?? 0, uuid: node?.uuid };
    })
  };
}
function findingOf(patient, violation, node) {
  const place = node === void 0 ? { file: patient.file } : placeOf2(patient, node);
  const code = codeOf2(violation.rule);
  return makeFinding(code, severityOf(violation), place, sentence(violation.message), effectOf(violation));
}
var probePrompt = "continue";
function severityOf({ isEstimate, isFormer }) {
  return isEstimate === true || isFormer === true ? "warn" : "fatal";
}
function effectOf({ status, isEstimate, isFormer }) {
  if (isEstimate === true) return "by an estimate, the next request is too long for the model";
  if (isFormer === true) return `Anthropic takes it; other providers may answer ${status} to every request`;
  return `every request fails with ${status}`;
}
function sentence(message2) {
  return `the API answers: ${message2.replace(/^messages(?:\.\d+)[\w.]*: /, "")}`;
}
function codeOf2(rule) {
  return codes[rule] ?? "A-role-order";
}
var codes = {
  "unanswered-tool": "A-unanswered-tool",
  "results-first": "A-unanswered-tool",
  "orphan-result": "A-orphan-result",
  "result-id": "A-orphan-result",
  "tool-role": "A-orphan-result",
  "duplicate-tool-id": "A-duplicate-tool-id",
  "duplicate-result": "A-duplicate-tool-id",
  "thinking-unsigned": "A-thinking-altered",
  "thinking-signature": "A-thinking-altered",
  "thinking-altered": "A-thinking-altered",
  "redacted-thinking-data": "A-thinking-altered",
  "thinking-first": "A-thinking-altered",
  "thinking-last": "A-thinking-last",
  "image-count": "A-image-size",
  "image-type": "A-image-size",
  "image-bytes": "A-image-size",
  "image-unreadable": "A-image-size",
  "image-mismatch": "A-image-size",
  "image-pixels": "A-image-size",
  "image-pixels-many": "A-image-size",
  "empty-text": "A-empty-text",
  "blank-text": "A-empty-text",
  "trailing-space": "A-empty-text",
  "request-bytes": "A-too-long",
  "prompt-tokens": "A-too-long",
  "lone-surrogate": "L-surrogate"
};

// src/doctor/folder.ts
import { existsSync } from "node:fs";
import path4 from "node:path";

// src/store/slug.ts
var longestSlug = 200;
function encodeSlug(cwd2) {
  const slug = encodeOldSlug(cwd2);
  if (slug.length <= longestSlug) return slug;
  return `${slug.slice(0, longestSlug)}-${Math.abs(hashOf(cwd2)).toString(36)}`;
}
function encodeOldSlug(cwd2) {
  return cwd2.replace(/[^A-Za-z0-9]/g, "-");
}
function slugsFor(cwd2) {
  return [.../* @__PURE__ */ new Set([encodeSlug(cwd2), encodeOldSlug(cwd2)])];
}
function slugMatches(slug, cwd2) {
  return slugsFor(cwd2).includes(slug);
}
function hashOf(text) {
  let hash2 = 0;
  for (let at = 0; at < text.length; at++) hash2 = Math.imul(hash2, 31) + text.charCodeAt(at) | 0;
  return hash2;
}

// src/doctor/folder.ts
function checkFolder(session, options = {}) {
  if (session.isAgent) return [];
  return [...checkEmpty(session), ...checkName(session), ...checkPlace(session, options)];
}
function checkEmpty({ transcript }) {
  if (transcript.nodes.some((node) => isMessage(node) && (node.hasContent || node.message !== void 0))) return [];
  const message2 = transcript.sizeBytes === 0 ? "the file has no bytes" : "no line of the file is a message";
  const effect = "there is nothing to resume; some clients leave such a file when they resume";
  return [makeFinding("F-empty", "info", { file: transcript.path }, message2, effect)];
}
function checkName({ id, transcript }) {
  const named = transcript.nodes.filter((node) => node.uuid !== void 0 && node.sessionId !== void 0);
  const [first] = named;
  if (first === void 0 || named.some((node) => node.sessionId === id)) return [];
  const message2 = `its lines say session ${first.sessionId}`;
  const effect = "Claude Code goes by the name of the file; nothing is lost";
  return [
    makeFinding("F-name", "info", { file: transcript.path, line: first.line, offset: first.offset }, message2, effect)
  ];
}
function checkPlace(session, { folders = [], daysLeft }) {
  const file2 = session.transcript.path;
  const home = folders.find(({ projects }) => file2.startsWith(projects + path4.sep));
  if (home === void 0) return [];
  const parts2 = path4.relative(home.projects, file2).split(path4.sep);
  if (parts2.length > 2) return [nested(file2)];
  return [...checkMoved(session, parts2[0] ?? ""), ...checkExpiring(file2, daysLeft)];
}
function nested(file2) {
  const effect = "no client finds it: sessions stand right in the folder of their project";
  return makeFinding("F-nested", "loss", { file: file2 }, "it is one folder too deep", effect);
}
function checkMoved(session, slug) {
  const cwd2 = cwdOf(session);
  if (cwd2 === void 0 || !path4.isAbsolute(cwd2) || /^[\\/]{2}/.test(cwd2)) return [];
  if (!slugMatches(slug, cwd2) || existsSync(cwd2)) return [];
  const message2 = `the folder ${cwd2} is not there any more`;
  const effect = "Claude Code looks for sessions under the name of the folder it is started in";
  return [makeFinding("F-moved", "warn", { file: session.transcript.path }, message2, effect)];
}
function checkExpiring(file2, daysLeft) {
  if (daysLeft === void 0) return [];
  const isDue = daysLeft < 0;
  const when = daysLeft === 0 ? "within a day" : `in ${daysLeft} ${daysLeft === 1 ? "day" : "days"}`;
  const message2 = `it ${isDue ? "is" : "will soon be"} older than Claude Code keeps sessions`;
  const effect = isDue ? "the next start of Claude Code deletes it" : `Claude Code deletes it ${when}`;
  return [makeFinding("F-expiring", "warn", { file: file2 }, message2, effect)];
}

// src/doctor/graph-branches.ts
function checkBranches(patient) {
  if (patient.session.isAgent) return [];
  return [...checkBeside(patient), ...checkLeaf(patient), ...checkForeign(patient)];
}
function checkBeside(patient) {
  const { session, lost, oldLost, chain, oldChain } = patient;
  const beside = [...session.branches[0]?.beside ?? []];
  const missed = (held, missing) => beside.flatMap(
    ([anchor, lines]) => held.has(anchor) ? lines.filter((line2) => missing.has(line2) && !line2.hidden) : []
  );
  const now = missed(chain, lost);
  const before = missed(oldChain, oldLost);
  const [first] = now.length > 0 ? now : before;
  if (first === void 0) return [];
  const count2 = now.length > 0 ? now.length : before.length;
  const message2 = `${counted(count2, "line hangs", "lines hang")} beside the chain`;
  const effect = now.length > 0 ? `a resume leaves ${count2 === 1 ? "it" : "them"} out` : `the current client puts ${count2 === 1 ? "it" : "them"} back; clients up to 2.1.45 leave ${count2 === 1 ? "it" : "them"} out`;
  const severity = now.length > 0 ? "loss" : "info";
  return [makeFinding("G-parallel-lost", severity, placeOf2(patient, first), message2, effect)];
}
function checkLeaf(patient) {
  const { session, order } = patient;
  const [active, ...others] = session.branches;
  const pin = session.transcript.nodes.findLast((node) => node.type === "last-prompt" && node.leafUuid !== void 0);
  if (active === void 0 || pin?.explicit === true) return [];
  const resumed = new Set(order);
  const newer = others.filter((branch) => {
    if (branch.isReplay || !branch.nodes.some(isSaid) || branch.nodes.some((node) => resumed.has(node))) return false;
    return branch.leaf.time > active.leaf.time && isSameSession(session, branch.leaf);
  });
  const newest2 = newer.toSorted((a, b) => b.leaf.time - a.leaf.time)[0];
  if (newest2 === void 0) return [];
  const count2 = newest2.nodes.filter((node) => isMessage(node) && node.hasContent).length;
  const message2 = `the newest branch ends here, and a resume continues line ${active.leaf.line} instead`;
  const effect = `${counted(count2, "newer entry is", "newer entries are")} left out`;
  return [makeFinding("G-lost-leaf", "loss", placeOf2(patient, newest2.leaf), message2, effect)];
}
function isSaid(node) {
  if (node.isApiError || node.isSidechain || !node.hasContent || node.hidden) return false;
  return node.type === "assistant" || node.promptKind !== void 0;
}
function isSameSession(session, node) {
  return node.sessionId === void 0 || node.sessionId === session.branches[0]?.leaf.sessionId;
}
function checkForeign(patient) {
  const { session, order } = patient;
  const resumed = new Set(order);
  const leaf = session.branches[0]?.leaf;
  return [...strangersOf(patient)].map(([id, lines]) => {
    const takesOver = leaf !== void 0 && lines.includes(leaf);
    const isSent = lines.some((line2) => resumed.has(line2));
    const message2 = `${counted(lines.length, "line belongs", "lines belong")} to session ${id}`;
    const effect = takesOver ? "a resume continues that session instead of this one" : isSent ? "a resume sends them with this session" : "a resume does not take them; search and usage find them here";
    return makeFinding("G-foreign", takesOver ? "loss" : "warn", placeOf2(patient, lines[0]), message2, effect);
  });
}
function strangersOf({ session, order }) {
  const byId = /* @__PURE__ */ new Map();
  const nodes = session.transcript.nodes.filter((node) => node.uuid !== void 0 && node.sessionId !== void 0);
  if (!nodes.some((node) => node.sessionId === session.id) || nodes.every((node) => node.sessionId === session.id)) {
    return byId;
  }
  const roots = rootsByLinks(session);
  const home = new Set(nodes.filter((node) => node.sessionId === session.id).map((node) => roots.get(node)));
  const firstOwn = nodes.find((node) => node.sessionId === session.id)?.index ?? 0;
  const resumed = new Set(order);
  for (const node of nodes) {
    if (home.has(roots.get(node))) continue;
    const isBeginning = node.index < firstOwn && typeof roots.get(node)?.parentUuid === "string";
    if (isBeginning && resumed.has(node)) continue;
    const id = node.sessionId ?? "";
    const known = byId.get(id);
    if (known === void 0) byId.set(id, [node]);
    else known.push(node);
  }
  return byId;
}
function rootsByLinks({ transcript, graph }) {
  const roots = /* @__PURE__ */ new Map();
  for (const start of transcript.nodes) {
    const way = /* @__PURE__ */ new Set();
    let node = start;
    while (!roots.has(node) && !way.has(node)) {
      way.add(node);
      const parent = typeof node.parentUuid === "string" ? graph.byUuid(node.parentUuid) : void 0;
      if (parent === void 0) break;
      node = parent;
    }
    const root = roots.get(node) ?? node;
    for (const each of way) roots.set(each, root);
  }
  return roots;
}

// src/doctor/graph-copies.ts
function checkCopies(patient) {
  return [...checkDuplicates(patient), ...checkReplays(patient)];
}
function checkDuplicates(patient) {
  const { transcript } = patient.session;
  const seen = /* @__PURE__ */ new Map();
  const findings = [];
  for (const node of transcript.nodes) {
    if (node.uuid === void 0) continue;
    const earlier = seen.get(node.uuid);
    seen.set(node.uuid, node);
    if (earlier !== void 0) findings.push(duplicate(patient, earlier, node));
  }
  return findings;
}
function duplicate(patient, earlier, node) {
  const { session } = patient;
  const isLost = isMessage(earlier) && earlier.hasContent && !earlier.isApiError && !saysSame(patient, earlier, node);
  const isMain = session.isAgent || !earlier.isSidechain;
  const severity = isLost && isMain ? "loss" : "info";
  const effect = severity === "loss" ? "a resume reads only the later one: a message is left out" : "both say the same; nothing is lost";
  return makeFinding(
    "G-duplicate-uuid",
    severity,
    placeOf2(patient, node),
    `line ${earlier.line} has the same uuid`,
    effect
  );
}
function saysSame({ session }, a, b) {
  if (a.type !== b.type) return false;
  const [one, other] = [a, b].map((node) => session.transcript.read(node).message);
  return JSON.stringify(one) === JSON.stringify(other);
}
function checkReplays(patient) {
  const { session, copies: copies2 } = patient;
  const all = [...copies2, ...replayedElsewhere(session)].sort((a, b) => a.index - b.index);
  const start = startOfCopy(patient);
  const first = start ?? all[0];
  if (first === void 0) return [];
  const count2 = Math.max(all.length, 1);
  const message2 = `${counted(count2, "line repeats an earlier one", "lines repeat earlier ones")} under new uuids`;
  const make = (severity, effect) => [
    makeFinding("G-replayed", severity, placeOf2(patient, first), message2, effect)
  ];
  if (start !== void 0) return make("loss", `a resume begins with the copy: ${reachText(reachOf(patient))}`);
  if (isSentTwice(patient)) return make("warn", "a resume sends that part of the history twice");
  return make("info", "a resume takes one of the two, and Clew counts it once");
}
function startOfCopy({ chain, copies: copies2, lost, places: places2, session }) {
  const start = [...chain].find(isMessage);
  if (start === void 0 || lost.size === 0) return void 0;
  const isContinued = typeof start.parentUuid !== "string" && session.graph.parentOf(start) !== void 0;
  const isBegunAnew = isContinued && isAnswer(start) && (places2.get(start) ?? 0) > 0;
  return copies2.has(start) || isBegunAnew ? start : void 0;
}
function isSentTwice({ entries, chain, copies: copies2 }) {
  const copied = new Set([...copies2].filter((copy) => chain.has(copy)).map((copy) => copy.message?.id));
  return entries.some((node) => chain.has(node) && node.message?.id !== void 0 && copied.has(node.message.id));
}
function replayedElsewhere({ branches }) {
  const [active, ...others] = branches;
  const told = new Set((active?.nodes ?? []).filter(isAnswer).map((node) => node.message?.id));
  return others.filter((branch) => branch.isReplay || branch.fork === void 0).flatMap((branch) => branch.nodes.filter((node) => isAnswer(node) && told.has(node.message?.id)));
}
function isAnswer(node) {
  return node.type === "assistant" && node.message?.id !== void 0;
}

// src/doctor/graph.ts
function checkGraph(patient) {
  const start = findMissingRoot(patient);
  return [
    ...start === void 0 ? [] : [missingRoot(patient, start)],
    ...checkParents(patient, start),
    ...checkProgress(patient),
    ...checkBoundaries(patient),
    ...checkCycles(patient),
    ...checkRefusal(patient),
    ...checkBranches(patient),
    ...checkCopies(patient)
  ];
}
function nodesSaid({ session }, code) {
  const places2 = new Set(session.graph.diagnostics.filter((said) => said.code === code).map((said) => said.offset));
  return places2.size === 0 ? [] : session.transcript.nodes.filter((node) => places2.has(node.offset));
}
function checkParents(patient, start) {
  return nodesSaid(patient, "G-phantom-parent").filter((node) => node !== start).map((node) => {
    const { severity, effect } = costOfBreak(patient, node);
    const message2 = `its parent ${node.parentUuid} is not in the file`;
    return makeFinding("G-phantom-parent", severity, placeOf2(patient, node), message2, effect);
  });
}
function findMissingRoot({ session }) {
  const { nodes } = session.transcript;
  const own = nodes.filter(
    (node) => isLinked(node) && node.uuid !== void 0 && (session.isAgent || !node.isSidechain)
  );
  if (own.some((node) => typeof node.parentUuid !== "string")) return void 0;
  return own.some(isMessage) ? own[0] : void 0;
}
function missingRoot(patient, start) {
  const effect = "what stood before it is not in the file; what is there is loaded from the first line on";
  return makeFinding("G-no-root", "warn", placeOf2(patient, start), "every line has a parent, none begins", effect);
}
function checkProgress(patient) {
  const { graph, transcript } = patient.session;
  const findings = [];
  const passing = [];
  for (const node of transcript.nodes) {
    if (node.type === "progress" || typeof node.parentUuid !== "string") continue;
    const parent = graph.byUuid(node.parentUuid);
    if (parent?.type !== "progress") continue;
    if (parent.index < node.index) passing.push(node);
    else {
      const { severity, effect: effect2 } = costOfBreak(patient, node);
      const message3 = `it hangs on a progress line that stands behind it (line ${parent.line})`;
      findings.push(makeFinding("G-progress-fork", severity, placeOf2(patient, node), message3, effect2));
    }
  }
  const [first] = passing;
  if (first === void 0) return findings;
  const message2 = `${counted(passing.length, "line hangs", "lines hang")} on progress lines`;
  const effect = "Claude Code passes through them; readers that skip progress lines lose what stands before";
  return [...findings, makeFinding("G-progress-fork", "info", placeOf2(patient, first), message2, effect)];
}
function checkBoundaries(patient) {
  const { graph, transcript } = patient.session;
  return transcript.nodes.filter(isBoundary).flatMap((node) => {
    const { severity } = costOfBreak(patient, behind(patient, node) ?? node);
    const isCut = severity === "loss" && patient.places.has(node) && patient.chain.has(node);
    if (isCut) {
      const effect2 = `a resume begins here, with nothing in the place of what it cut off`;
      return makeFinding("G-boundary-parent", "loss", placeOf2(patient, node), "no summary follows it", effect2);
    }
    const { logicalParentUuid: logicalParentUuid2 } = node;
    if (logicalParentUuid2 === void 0 || graph.byUuid(logicalParentUuid2) !== void 0) return [];
    const message2 = `what it compacted, up to ${logicalParentUuid2}, is not in the file`;
    const effect = "nothing is lost by it: the summary stands in its place";
    return makeFinding("G-boundary-parent", "info", placeOf2(patient, node), message2, effect);
  });
}
function behind({ order, places: places2 }, node) {
  const place = places2.get(node);
  return place === void 0 ? void 0 : order[place + 1];
}
function checkCycles(patient) {
  return nodesSaid(patient, "G-cycle").map((node) => {
    const cost = costOfBreak(patient, node);
    const hangs = "the current client stops where the circle closes; clients up to 2.1.29 never come to an end";
    const [severity, effect] = cost.severity === "loss" ? ["loss", cost.effect] : ["warn", hangs];
    return makeFinding("G-cycle", severity, placeOf2(patient, node), "its parents lead back to itself", effect);
  });
}
function checkRefusal(patient) {
  const { refused, entries } = patient;
  const last = entries.at(-1);
  if (refused === void 0 || last === void 0) return [];
  const effect = `it loads 0 of ${entries.length} entries`;
  return [makeFinding("G-refused", "fatal", placeOf2(patient, last), refused, effect)];
}
function counted(count2, one, many) {
  return `${count2} ${count2 === 1 ? one : many}`;
}

// src/doctor/lines.ts
function checkLines(patient) {
  const { transcript } = patient.session;
  if (transcript.diagnostics.length === 0) return [];
  const costly = costlyLines(patient);
  return transcript.diagnostics.flatMap(({ code, line: line2, offset, message: message2 }) => {
    if (!isDamageCode(code)) return [];
    const { severity, effect } = judge(
      code,
      costly.has(line2) ? reachOf(patient) : void 0,
      () => bytesAt2(patient.file, offset)
    );
    return makeFinding(code, severity, { file: patient.file, line: line2, offset, uuid: void 0 }, message2, effect);
  });
}
function costlyLines(patient) {
  const { session, lost, lostBefore, places: places2 } = patient;
  const away = new Set(session.branches.slice(1).flatMap((branch) => branch.isReplay ? [] : branch.nodes));
  const costly = /* @__PURE__ */ new Set();
  for (const node of session.transcript.nodes) {
    if (!node.hidden || !isLinked(node) || node.isSidechain && !session.isAgent) continue;
    const place = places2.get(node);
    const isBreak = place !== void 0 && (lostBefore[place + 1] ?? 0) > 0;
    const isLost = isMessage(node) && (lost.has(node) || away.has(node) || session.branches.length === 0);
    if (isLost || isBreak) costly.add(node.line);
  }
  return costly;
}
function judge(code, costs, fragment) {
  const hidden = costs && {
    severity: "loss",
    effect: `Claude Code reads only what begins a line; for that, ${reachText(costs)}`
  };
  switch (code) {
    case "L-joined":
    case "L-nul":
      if (hidden !== void 0) return hidden;
      return { severity: "warn", effect: "no message is lost; clients up to 2.1.45 read nothing of the line" };
    case "L-spliced":
      if (hidden !== void 0) return hidden;
      return { severity: "warn", effect: "the record that is cut off is lost; no message is known to be" };
    case "L-torn-tail": {
      const severity = fragment().includes('"message"') ? "loss" : "warn";
      return { severity, effect: "what was cut off cannot be read; everything else can" };
    }
    case "L-not-json":
      if (hidden !== void 0) return hidden;
      return {
        severity: "warn",
        effect: "the current client skips it; clients up to 2.1.150 may stop there or lose what follows"
      };
    case "L-no-newline":
      return {
        severity: "warn",
        effect: "the current client adds it; clients up to 2.1.150 put their next record on the same line"
      };
    case "L-oversize":
      return { severity: "loss", effect: "it is kept as it is, and nothing reads it" };
    case "L-surrogate":
      return {
        severity: "warn",
        effect: "the current client replaces it; with clients up to 2.1.45 the API answers 400 to every request"
      };
    case "L-utf8":
      return { severity: "warn", effect: "the bytes are read as U+FFFD" };
    default:
      return { severity: "info", effect: "harmless: every client reads it" };
  }
}
var fragmentBytes = 4096;
function bytesAt2(file2, offset) {
  return new RangeReader(file2, fragmentBytes).read(offset, fragmentBytes);
}

// src/doctor/segments.ts
function segmentsOf(patient) {
  const { session } = patient;
  const [active, ...others] = session.branches;
  if (active === void 0) return [];
  const before = active.nodes.slice(0, patient.compacted);
  const besides = new Set([...active.beside.values()].flat());
  return [
    ...before.length === 0 ? [] : [segment("compacted", before, /* @__PURE__ */ new Set())],
    ...runs(patient).map(({ kind, nodes }) => segment(kind, nodes, besides)),
    ...others.filter((branch) => !branch.isReplay && !branch.nodes.some((node) => patient.places.has(node))).map((branch) => segment("branch", branch.nodes, /* @__PURE__ */ new Set()))
  ];
}
function runs({ entries, lost }) {
  const found = [];
  for (const node of entries) {
    const kind = lost.has(node) ? "lost" : "loaded";
    const last = found.at(-1);
    if (last?.kind === kind) last.nodes.push(node);
    else found.push({ kind, nodes: [node] });
  }
  return found;
}
function segment(kind, nodes, besides) {
  let [fromLine, toLine, beside] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const node of nodes) {
    fromLine = Math.min(fromLine, node.line);
    toLine = Math.max(toLine, node.line);
    if (besides.has(node)) beside++;
  }
  return { kind, entries: nodes.length, fromLine, toLine, beside };
}

// src/doctor/diagnose.ts
async function diagnoseSession(session, options = {}) {
  const patient = examine(session);
  const { screening } = options;
  const heads = checkHeads(patient);
  const api = screening !== void 0 && isSound(screening, heads, patient) ? checkImages(patient, screening.imageLines) : checkContent(patient);
  const findings = [
    ...checkPatient(patient),
    ...withoutTold(heads, api.findings),
    ...api.findings,
    ...checkFolder(session, options),
    ...await checkAgents(session, { strict: screening?.isDamagedInside !== false })
  ];
  return {
    sessionId: session.id,
    path: session.files.main,
    findings: findings.sort(compareFindings),
    reachable: reachOf(patient),
    reachableOld: oldReachOf(patient),
    violations: api.violations,
    chain: segmentsOf(patient)
  };
}
function isSound({ isOdd }, heads, { chain }) {
  const first = [...chain].find(isMessage);
  return !isOdd && first?.type !== "assistant" && heads.every(({ severity }) => severity === "info");
}
function checkPatient(patient) {
  return [...checkLines(patient), ...checkGraph(patient)];
}
function withoutTold(stored, sent) {
  const told = new Set(sent.map(({ code, offset }) => `${code} ${offset}`));
  return stored.filter(({ code, offset }) => !told.has(`${code} ${offset}`));
}
async function checkAgents(session, options) {
  if (session.isAgent) return [];
  const findings = [];
  for (const agent of session.agents) {
    if (agent.path === void 0) continue;
    try {
      const own = { ...await loadAgent(session, agent, options), isAgent: true };
      const found = checkPatient(examine(own)).filter((finding) => !hangsOnMain(finding, own, session));
      findings.push(...found.map(ofAgent));
    } catch (error) {
      if (systemErrorCode(error) === void 0) throw error;
    }
  }
  return findings;
}
function hangsOnMain({ code, uuid: uuid2 }, own, main) {
  if (code !== "G-no-root" && code !== "G-phantom-parent") return false;
  return main.graph.byUuid(own.graph.byUuid(uuid2)?.parentUuid ?? void 0) !== void 0;
}
function ofAgent(finding) {
  if (finding.severity === "info" || finding.severity === "warn") return finding;
  return { ...finding, severity: "warn", effect: `${finding.effect}; of a sub-agent, which a resume does not load` };
}

// src/doctor/repair/repair.ts
import { randomUUID as randomUUID4 } from "node:crypto";
import { existsSync as existsSync2 } from "node:fs";
import path6 from "node:path";

// src/surgery/new-session.ts
import { randomUUID } from "node:crypto";
import path5 from "node:path";

// src/surgery/ids.ts
function sessionIdEdits(entry, sessionId2) {
  return ["sessionId", "session_id"].flatMap(
    (key) => asString(entry[key]) === void 0 || entry[key] === sessionId2 ? [] : [{ path: [key], set: sessionId2 }]
  );
}

// src/format/edit.ts
function editJson(bytes, edits) {
  const splices = [];
  const work = [{ node: editTree(edits), start: skipWhitespace(bytes, 0), end: skipValue(bytes, 0) }];
  for (let next = work.pop(); next !== void 0; next = work.pop()) {
    if (next.node.edit !== void 0) splices.push(replacement(next, next.node.edit));
    else if (next.node.children.size > 0) editContainer(bytes, next, splices, work);
  }
  return applySplices(bytes, splices);
}
var comma4 = 44;
var openArray3 = 91;
var closeArray2 = 93;
var openObject3 = 123;
var closeObject3 = 125;
function editTree(edits) {
  const root = { path: [], children: /* @__PURE__ */ new Map(), edit: void 0 };
  for (const edit of edits) {
    let node = root;
    for (const [depth, key] of edit.path.entries()) {
      if (node.edit !== void 0) throw overlap(edit.path);
      let child = node.children.get(key);
      if (child === void 0) {
        child = { path: edit.path.slice(0, depth + 1), children: /* @__PURE__ */ new Map(), edit: void 0 };
        node.children.set(key, child);
      }
      node = child;
    }
    if (node.edit !== void 0 || node.children.size > 0) throw overlap(edit.path);
    node.edit = edit;
  }
  return root;
}
function replacement({ start, end }, edit) {
  if ("remove" in edit) throw new TypeError("the whole value cannot be removed, only replaced");
  if (end === -1) throw leadsNowhere(edit.path);
  return { start, end, text: JSON.stringify(edit.set) };
}
function editContainer(bytes, { node, start, end }, splices, work) {
  const items = end === -1 ? void 0 : listItems(bytes, start);
  if (items === void 0) {
    refuseSets(node);
    return;
  }
  const isArray2 = bytes[start] === openArray3;
  const last = new Map(items.map((item) => [item.key, item]));
  const appended = [];
  for (const [key, child] of node.children) {
    const item = last.get(key);
    if (item === void 0) {
      if (isAppend(child) && typeof key === "number" === isArray2) appended.push(child);
      else refuseSets(child);
    } else if (!isRemoval(child)) {
      work.push({ node: child, start: item.valueStart, end: item.end });
    }
  }
  const texts4 = isArray2 ? elementTexts(appended, items.length) : memberTexts(appended);
  const isKept2 = (item) => item.key === void 0 || !isRemoval(node.children.get(item.key));
  spliceItems(items, isKept2, texts4, start, splices);
}
function spliceItems(items, isKept2, texts4, open, splices) {
  const added = texts4.join(",");
  const kept = items.filter(isKept2);
  const first = kept[0];
  const final = items.at(-1);
  if (first === void 0) {
    const gap = { start: items[0]?.start ?? open + 1, end: final?.end ?? open + 1 };
    splices.push({ ...gap, text: added });
    return;
  }
  if (first !== items[0]) splices.push({ start: items[0]?.start ?? first.start, end: first.start, text: "" });
  let before = first;
  let removedEnd = -1;
  for (const item of items.slice(items.indexOf(first) + 1)) {
    if (!isKept2(item)) {
      removedEnd = item.end;
      continue;
    }
    if (removedEnd !== -1) splices.push({ start: before.end, end: removedEnd, text: "" });
    before = item;
    removedEnd = -1;
  }
  const text = added === "" ? "" : `,${added}`;
  splices.push({ start: before.end, end: removedEnd === -1 ? before.end : removedEnd, text });
}
function applySplices(bytes, splices) {
  const parts2 = [];
  let position = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    parts2.push(bytes.subarray(position, start), Buffer.from(text));
    position = end;
  }
  parts2.push(bytes.subarray(position));
  return Buffer.concat(parts2);
}
function listItems(bytes, start) {
  const isArray2 = bytes[start] === openArray3;
  if (!isArray2 && bytes[start] !== openObject3) return void 0;
  const items = [];
  let position = skipWhitespace(bytes, start + 1);
  const closing = isArray2 ? closeArray2 : closeObject3;
  while (bytes[position] !== closing) {
    const valueStart = isArray2 ? position : skipKey(bytes, position);
    const end = skipValue(bytes, valueStart);
    items.push({ key: isArray2 ? items.length : decodeString(bytes, position), start: position, valueStart, end });
    position = skipWhitespace(bytes, end);
    if (bytes[position] === comma4) position = skipWhitespace(bytes, position + 1);
  }
  return items;
}
function memberTexts(appended) {
  return appended.map((node) => `${JSON.stringify(node.path.at(-1))}:${setText(node)}`);
}
function elementTexts(appended, length) {
  const ordered = appended.toSorted((a, b) => Number(a.path.at(-1)) - Number(b.path.at(-1)));
  return ordered.map((node, index) => {
    if (node.path.at(-1) !== length + index) throw leadsNowhere(node.path);
    return setText(node);
  });
}
function setText(node) {
  return node.edit !== void 0 && "set" in node.edit ? JSON.stringify(node.edit.set) : "";
}
function isAppend(node) {
  return node.edit !== void 0 && "set" in node.edit;
}
function isRemoval(node) {
  return node?.edit !== void 0 && "remove" in node.edit;
}
function refuseSets(top) {
  const nodes = [top];
  for (let node = nodes.pop(); node !== void 0; node = nodes.pop()) {
    if (isAppend(node)) throw leadsNowhere(node.path);
    for (const child of node.children.values()) nodes.push(child);
  }
}
function leadsNowhere(path7) {
  return new TypeError(`nothing can be set at ${JSON.stringify(path7)}: the path leads nowhere in this value`);
}
function overlap(path7) {
  return new TypeError(`the edit at ${JSON.stringify(path7)} overlaps another one`);
}

// src/surgery/out-line.ts
function madeLine(entry) {
  return { bytes: Buffer.from(JSON.stringify(entry)), isEdited: false, isRenamed: false };
}
function editLine(line2, edits, isRenaming = false) {
  if (edits.length === 0) return line2;
  const bytes = editJson(line2.bytes, edits);
  if (line2.origin === void 0) return { ...line2, bytes };
  const isOnlyRenamed = isRenaming && (!line2.isEdited || line2.isRenamed);
  return { ...line2, bytes, isEdited: true, isRenamed: isOnlyRenamed };
}

// src/surgery/rewrite.ts
function* rewriteLines(transcript, rewrite = {}) {
  yield* insertedLines(rewrite, -1);
  const { nodes, path: path7 } = transcript;
  const ranges = new RangeReader(path7);
  let next = 0;
  let writtenUntil = 0;
  for (const batch of readLines(path7)) {
    for (const line2 of batch) {
      const first = next;
      while (next < nodes.length && nodes[next].offset < line2.offset + line2.length) next++;
      const held = nodes.slice(first, next);
      if (held.length === 0 && line2.offset < writtenUntil) continue;
      if (isKept(line2, held, rewrite)) {
        yield renamePieces(asItStands(path7, line2, held), line2, held, rewrite);
        continue;
      }
      for (const node of held) {
        if (rewrite.drops?.has(node.index) !== true) yield rewriteRecord(path7, node, rewrite, ranges);
        yield* insertedLines(rewrite, node.index);
        writtenUntil = node.offset + node.length;
      }
    }
  }
}
function droppedBy(transcript, drops, file2) {
  return [...drops].map(([index, reason]) => {
    const node = transcript.nodes[index];
    return {
      ...file2 === void 0 ? {} : { file: file2 },
      line: node?.line ?? 0,
      ...node?.uuid === void 0 ? {} : { uuid: node.uuid },
      reason
    };
  });
}
function isKept(line2, held, rewrite) {
  if (line2.bytes.length < line2.length) return true;
  if (held.some(({ index }) => isNamedBy(rewrite, index))) return false;
  const last = held.at(-1);
  const goesOn = last !== void 0 && last.offset + last.length > line2.offset + line2.length;
  if (goesOn && rewrite.renames !== void 0) return false;
  return rewrite.isCleaned !== true || isClean(line2, held);
}
function isNamedBy({ edits, drops, inserts }, index) {
  return edits?.has(index) === true || drops?.has(index) === true || inserts?.has(index) === true;
}
function asItStands(file2, line2, held) {
  const { number, offset, length } = line2;
  const bytes = line2.bytes.length < length ? new RangeReader(file2, 0).read(offset, length) : Buffer.from(line2.bytes);
  const origin2 = { file: file2, line: held[0]?.line ?? number, offset, length };
  return { bytes, origin: origin2, isEdited: false, isRenamed: false };
}
function rewriteRecord(file2, node, rewrite, ranges) {
  const { line: line2, offset, length } = node;
  const bytes = oneLine(Buffer.from(ranges.read(offset, length)));
  const origin2 = { file: file2, line: line2, offset, length };
  const out = { bytes, origin: origin2, isEdited: bytes.length !== length, isRenamed: false };
  return renameLine(editLine(out, rewrite.edits?.get(node.index) ?? []), rewrite);
}
function* insertedLines(rewrite, behind2) {
  for (const entry of rewrite.inserts?.get(behind2) ?? []) yield renameLine(madeLine(entry), rewrite);
}
function renameLine(line2, { renames }) {
  return renames === void 0 ? line2 : editLine(line2, renamesFor(line2.bytes, renames), true);
}
function renamePieces(line2, { offset }, held, rewrite) {
  const { renames } = rewrite;
  if (renames === void 0 || held.length === 0) return line2;
  if (held.length === 1 && held[0]?.length === line2.bytes.length) return renameLine(line2, rewrite);
  const pieces = [];
  let done = 0;
  for (const node of held) {
    const start = node.offset - offset;
    if (start < done) continue;
    const record = line2.bytes.subarray(start, start + node.length);
    pieces.push(line2.bytes.subarray(done, start), editJson(record, renamesFor(record, renames)));
    done = start + node.length;
  }
  return { ...line2, bytes: Buffer.concat([...pieces, line2.bytes.subarray(done)]), isEdited: true, isRenamed: true };
}
function renamesFor(record, renames) {
  const entry = parseJson(record.toString("utf8"));
  return isObject(entry) ? renames(entry) : [];
}
function oneLine(bytes) {
  const value = bytes.includes(newline4) ? parseJson(bytes.toString("utf8")) : void 0;
  const line2 = value === void 0 ? bytes : Buffer.from(JSON.stringify(value));
  return line2.at(-1) === carriageReturn ? line2.subarray(0, -1) : line2;
}
var newline4 = 10;
var carriageReturn = 13;
function isClean(line2, held) {
  const [only] = held;
  if (only === void 0 || held.length > 1 || line2.bytes.at(-1) === carriageReturn) return false;
  return only.offset === line2.offset && only.length === line2.length;
}

// src/surgery/new-session.ts
function newSession(source2, options = {}) {
  const sessionId2 = options.sessionId ?? randomUUID();
  const renames = (entry, file2) => [
    ...sessionIdEdits(entry, sessionId2),
    ...options.renames?.(entry, file2) ?? []
  ];
  const isChanged = sessionId2 !== source2.session.id;
  return {
    sessionId: sessionId2,
    folder: options.folder ?? source2.folder,
    isInPlace: false,
    files: planFiles(
      source2,
      { ...options, renames },
      (name) => isChanged ? nameFor(name, source2.session.id, sessionId2) : name
    )
  };
}
function sameSession(source2, options = {}) {
  const isTouched = (file2) => options.rewrites?.has(file2.path) === true || options.contents?.has(file2.path) === true || options.renames !== void 0 && file2.transcript !== void 0;
  const [main, ...others] = source2.files;
  const files = [...main === void 0 ? [] : [main], ...others.filter(isTouched)];
  return {
    sessionId: source2.session.id,
    folder: source2.folder,
    isInPlace: true,
    files: planFiles({ ...source2, files }, options, (name) => name)
  };
}
function planFiles(source2, options, rename) {
  const own = source2.files.filter((file2) => options.leftOut?.has(file2.path) !== true).map((file2) => ({ name: rename(file2.name), content: contentOf2(file2, options) }));
  return [...own, ...options.added ?? []];
}
function contentOf2(file2, options) {
  const given = options.contents?.get(file2.path);
  if (given !== void 0) return given;
  const { transcript } = file2;
  if (transcript === void 0) return { copyOf: file2.path };
  const { renames } = options;
  const rewrite = {
    ...options.rewrites?.get(file2.path),
    renames: renames === void 0 ? void 0 : (entry) => renames(entry, file2)
  };
  return { lines: () => rewriteLines(transcript, rewrite) };
}
function nameFor(name, oldId, newId) {
  if (name === `${oldId}.jsonl`) return `${newId}.jsonl`;
  const inside = name.startsWith(`${oldId}/`) ? name.slice(oldId.length + 1) : path5.posix.join("subagents", name);
  return `${newId}/${inside}`;
}

// src/doctor/repair/blocks.ts
import { randomUUID as randomUUID2 } from "node:crypto";
function repairBlocks(session, nodes) {
  const repair = new BlockRepair(session, placeResults2(nodes));
  return repair.run();
}
function placeResults2(nodes) {
  const results2 = /* @__PURE__ */ new Map();
  const messages2 = /* @__PURE__ */ new Map();
  const called = new Set(nodes.flatMap((node) => callsOf(node).map(({ id }) => id)));
  for (const node of nodes) {
    for (const { toolUseId } of resultsOf(node)) if (!results2.has(toolUseId)) results2.set(toolUseId, node);
    const id = messageIdOf3(node);
    if (id !== void 0) messages2.set(id, [...messages2.get(id) ?? [], node]);
  }
  const awaited = new Set([...results2].flatMap(([id, node]) => called.has(id) ? [node] : []));
  const ordered = /* @__PURE__ */ new Set();
  const byPlace2 = (a, b) => a.index - b.index;
  for (const node of nodes) {
    if (ordered.has(node) || awaited.has(node)) continue;
    const lines = (messages2.get(messageIdOf3(node) ?? "") ?? [node]).toSorted(byPlace2);
    for (const line2 of lines) ordered.add(line2);
    const answers = lines.flatMap(callsOf).flatMap((call) => results2.get(call.id) ?? []);
    for (const answer of answers.toSorted(byPlace2)) ordered.add(answer);
  }
  return [...ordered, ...nodes.filter((node) => !ordered.has(node))];
}
function messageIdOf3(node) {
  return node.type === "assistant" ? node.message?.id || void 0 : void 0;
}
var BlockRepair = class {
  #session;
  #nodes;
  #lines = [];
  #drops = /* @__PURE__ */ new Map();
  #notes = [];
  #usedCalls = /* @__PURE__ */ new Set();
  #badImages;
  /** The calls of the message before that have no result yet, under the ids they have now. */
  #open = [];
  #openMessage;
  #hasSpoken = false;
  constructor(session, nodes) {
    this.#session = session;
    this.#nodes = nodes;
    this.#badImages = findBadImages(session, nodes);
  }
  run() {
    for (const [i, node] of this.#nodes.entries()) {
      if (!isMessage(node)) this.#lines.push({ node });
      else if (node.type === "assistant") this.#addAnswer(node, this.#nodes[i + 1]);
      else this.#addInput(node);
    }
    this.#closeCalls(this.#nodes.at(-1));
    return { lines: this.#lines, drops: this.#drops, notes: this.#notes };
  }
  #addAnswer(node, next) {
    const id = messageIdOf3(node);
    if (id === void 0 || id !== this.#openMessage) this.#closeCalls(node);
    this.#openMessage = id;
    if (!this.#hasSpoken) this.#makeInput(node, beginningText);
    this.#hasSpoken = true;
    const before = blocksOf2(this.#contentOf(node));
    const isLast = next === void 0 || next.type !== "assistant" || messageIdOf3(next) !== id || id === void 0;
    const mayBeEmpty = modelFactsOf(node.message?.model ?? "")?.omitsThinking !== false;
    const sound = before.flatMap((block) => this.#answerBlock(block, mayBeEmpty));
    const after = withoutLastThinking(sound, isLast && !this.#hasCalls(id));
    this.#add(node, before, after, "nothing of the answer is left that the API takes");
  }
  #hasCalls(id) {
    return this.#open.length > 0 && id !== void 0;
  }
  #answerBlock(block, mayBeEmpty) {
    if (block.type === "text") return isBlank3(block) ? [] : [block];
    if (block.type === "thinking") return isSoundThinking(block, mayBeEmpty) ? [block] : [];
    if (block.type === "redacted_thinking") return asString(block.data) ? [block] : [];
    if (block.type !== "tool_use") return [block];
    const id = soundId(asString(block.id) ?? "");
    if (id === "" || this.#usedCalls.has(id)) return [];
    this.#usedCalls.add(id);
    this.#open.push(id);
    const name = soundName(asString(block.name) ?? "");
    const input = isObject(block.input) ? block.input : {};
    const isSound2 = id === block.id && name === block.name && input === block.input;
    return isSound2 ? [block] : [{ ...block, id, name, input }];
  }
  #addInput(node) {
    const stored = this.#contentOf(node);
    const before = blocksOf2(stored);
    if (!before.some((block) => block.type === "tool_result" && this.#open.includes(idOf(block))))
      this.#closeCalls(node);
    this.#hasSpoken = true;
    const results2 = [];
    const others = [];
    for (const block of before) {
      const made = this.#inputBlock(block);
      if (made?.type === "tool_result") results2.push(made);
      else if (made !== void 0) others.push(made);
    }
    if (others.length > 0 && this.#open.length > 0) this.#closeCallsWithin(results2);
    const after = [...results2, ...others];
    this.#add(node, before, after, "nothing of the line is left that the API takes");
  }
  #inputBlock(block) {
    if (block.type === "text") return isBlank3(block) ? void 0 : block;
    if (block.type === "image") return this.#image(block);
    if (block.type !== "tool_result") return block;
    const id = idOf(block);
    const whole = this.#resultContent(block);
    const at = this.#open.indexOf(id);
    if (at >= 0) {
      this.#open.splice(at, 1);
      return id === whole.tool_use_id ? whole : { ...whole, tool_use_id: id };
    }
    return this.#usedCalls.has(id) ? void 0 : { type: "text", text: orphanText(whole) };
  }
  #resultContent(block) {
    if (!isArray(block.content)) return block;
    const content2 = block.content.flatMap((inner) => {
      if (!isObject(inner)) return [inner];
      if (inner.type === "text") return isBlank3(inner) ? [] : [inner];
      return inner.type === "image" ? [this.#image(inner)] : [inner];
    });
    const isSame = content2.length === block.content.length && content2.every((inner, i) => inner === block.content[i]);
    return isSame ? block : { ...block, content: content2 };
  }
  #image(block) {
    const data = asString(asObject(block.source)?.data);
    if (data === void 0 || !this.#badImages.has(imageKey(data))) return block;
    const size = readImageSize(data);
    const pixels = size === void 0 ? "" : `, ${size.width} \xD7 ${size.height} pixels`;
    const type2 = asString(asObject(block.source)?.media_type) ?? "unknown type";
    return {
      type: "text",
      text: `[image taken out: ${type2}${pixels}; the original session ${this.#session.id} has it]`
    };
  }
  #add(node, before, after, reason) {
    if (after.length === 0) this.#drops.set(node, reason);
    else if (isSameList(before, after)) this.#lines.push({ node });
    else this.#lines.push({ node, content: after });
  }
  /** Calls that never got a result are told to have been interrupted. */
  #closeCalls(like) {
    if (this.#open.length > 0) {
      const content2 = this.#open.map((id) => resultFor(id, texts3.interrupted));
      this.#lines.push({ made: userEntry(content2), like });
    }
    this.#open = [];
    this.#openMessage = void 0;
  }
  #closeCallsWithin(results2) {
    results2.push(...this.#open.map((id) => resultFor(id, texts3.interrupted)));
    this.#open = [];
  }
  #makeInput(like, text) {
    this.#lines.push({ made: userEntry(text), like });
  }
  #contentOf(node) {
    return asObject(this.#session.transcript.read(node).message)?.content;
  }
};
var beginningText = "[The beginning of this conversation is not in the file.]";
function userEntry(content2) {
  return { type: "user", uuid: randomUUID2(), message: { role: "user", content: content2 } };
}
function blocksOf2(content2) {
  if (typeof content2 === "string") return [{ type: "text", text: content2 }];
  return isArray(content2) ? content2.filter(isObject) : [];
}
function isSameList(a, b) {
  return a.length === b.length && a.every((block, i) => block === b[i]);
}
function isBlank3(block) {
  return (asString(block.text) ?? "").trim() === "";
}
function isSoundThinking(block, mayBeEmpty) {
  const signature = asString(block.signature);
  if (signature === void 0 || signature === "" || isCutSignature(signature)) return false;
  return mayBeEmpty || asString(block.thinking) !== "";
}
function withoutLastThinking(blocks2, isEnd) {
  if (!isEnd || blocks2.some((block) => block.type === "tool_use")) return blocks2;
  const last = blocks2.findLastIndex((block) => block.type !== "thinking" && block.type !== "redacted_thinking");
  return last < 0 ? blocks2 : blocks2.slice(0, last + 1);
}
function soundId(id) {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
function idOf(block) {
  return soundId(asString(block.tool_use_id) ?? "");
}
function soundName(name) {
  const sound = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 128);
  return sound === "" ? "unknown" : sound;
}
function orphanText(result) {
  const said = typeof result.content === "string" ? result.content : JSON.stringify(result.content ?? "");
  return `[Result of a tool call that is not in this session: ${asString(result.tool_use_id) ?? ""}]
${said}`;
}
function findBadImages(session, nodes) {
  const images = [];
  for (const node of nodes) {
    if (node.type !== "user" || node.message?.blockTypes.every((type2) => type2 === "text") === true) continue;
    for (const block of blocksOf2(asObject(session.transcript.read(node).message)?.content)) {
      if (block.type === "image") images.push(block);
      if (isArray(block.content)) images.push(...block.content.filter(isObject).filter(({ type: type2 }) => type2 === "image"));
    }
  }
  if (images.length === 0) return /* @__PURE__ */ new Set();
  const model2 = nodes.findLast((node) => node.type === "assistant")?.message?.model;
  const found = checkImageRules({
    messages: [{ role: "user", content: images }],
    ...model2 === void 0 ? {} : { model: model2 }
  });
  const bad = /* @__PURE__ */ new Set();
  for (const { blockIndex } of found) {
    const data = asString(asObject(images[blockIndex ?? -1]?.source)?.data);
    if (data !== void 0) bad.add(imageKey(data));
  }
  return bad;
}
function imageKey(data) {
  return `${data.length} ${data.slice(0, 64)} ${data.slice(-64)}`;
}

// src/doctor/repair/mendable.ts
function isMendable({ code }) {
  return !code.startsWith("F-") && code !== "A-too-long" && code !== "L-oversize";
}

// src/doctor/repair/relink.ts
import { randomUUID as randomUUID3 } from "node:crypto";
function relink(source2) {
  const ids = newIds(source2);
  const chain = relinkChain(source2, ids);
  const edits = new Map(chain.edits);
  const inChain = new Set(source2.lines.flatMap((line2) => "node" in line2 ? line2.node : []));
  for (const node of source2.session.transcript.nodes) {
    if (inChain.has(node) || source2.drops.has(node)) continue;
    const own = besideEdits(source2, node, ids);
    if (own.length > 0) edits.set(node, own);
  }
  for (const node of source2.rewritten) {
    if (!source2.drops.has(node)) edits.set(node, [rewriteWhole(source2.session, node, edits.get(node) ?? [])]);
  }
  return { ...chain, edits };
}
function newIds({ session, drops, lines }) {
  const ids = /* @__PURE__ */ new Map();
  for (const node of session.transcript.nodes)
    if (!drops.has(node) && session.graph.isReplaced(node)) ids.set(node, randomUUID3());
  for (const line2 of lines) if ("node" in line2 && line2.node.uuid === void 0) ids.set(line2.node, randomUUID3());
  return ids;
}
function relinkChain(source2, ids) {
  const { session, lines } = source2;
  const edits = /* @__PURE__ */ new Map();
  const made = /* @__PURE__ */ new Map();
  const first = [];
  let parent = null;
  let before;
  let time = Number.NaN;
  for (const line2 of lines) {
    if ("made" in line2) {
      const like = before ?? line2.like;
      const entry = {
        ...envelopeOf(session, like),
        ...line2.made,
        parentUuid: parent,
        timestamp: isoTime2(time, like)
      };
      if (before === void 0) first.push(entry);
      else made.set(before, [...made.get(before) ?? [], entry]);
      parent = String(line2.made.uuid);
      continue;
    }
    const { node } = line2;
    const own = [];
    const uuid2 = ids.get(node);
    if (uuid2 !== void 0) own.push({ path: ["uuid"], set: uuid2 });
    if (node.parentUuid !== parent) own.push({ path: ["parentUuid"], set: parent });
    if (isBoundary(node)) own.push(...boundaryEdits(session, node));
    if (Number.isNaN(node.time)) own.push({ path: ["timestamp"], set: isoTime2(time, void 0) });
    else time = node.time;
    if (line2.content !== void 0) own.push({ path: ["message", "content"], set: line2.content });
    if (own.length > 0) edits.set(node, own);
    parent = uuid2 ?? node.uuid ?? null;
    before = node;
  }
  return { edits, made, first, leafUuid: parent ?? void 0 };
}
function boundaryEdits({ graph }, { logicalParentUuid: logicalParentUuid2 }) {
  return logicalParentUuid2 === void 0 || graph.byUuid(logicalParentUuid2) !== void 0 ? [] : [{ path: ["logicalParentUuid"], set: null }];
}
function besideEdits(source2, node, ids) {
  const { session } = source2;
  const edits = [];
  const uuid2 = ids.get(node);
  if (uuid2 !== void 0) edits.push({ path: ["uuid"], set: uuid2 });
  if (isBoundary(node)) edits.push(...boundaryEdits(session, node));
  if (!isLinked(node) || typeof node.parentUuid !== "string") return edits;
  const stored = session.graph.byUuid(node.parentUuid);
  const found = nearestKept(source2, node);
  const isSound2 = stored !== void 0 && stored === found && node.type !== "progress";
  if (isSound2 || node.type === "progress" && stored !== void 0 && !source2.drops.has(stored)) return edits;
  const parent = found === void 0 ? null : ids.get(found) ?? found.uuid ?? null;
  return parent === node.parentUuid ? edits : [...edits, { path: ["parentUuid"], set: parent }];
}
function nearestKept({ session, drops }, node) {
  let at = session.graph.parentOf(node);
  while (at !== void 0 && (drops.has(at) || at.type === "progress")) at = session.graph.parentOf(at);
  return at;
}
function envelopeOf(session, like) {
  const entry = like === void 0 ? {} : session.transcript.read(like);
  const kept = ["sessionId", "cwd", "version", "gitBranch", "userType"].flatMap(
    (key) => entry[key] === void 0 ? [] : [[key, entry[key]]]
  );
  return { ...Object.fromEntries(kept), isSidechain: false };
}
function isoTime2(before, like) {
  const time = Number.isNaN(before) ? like?.time ?? Number.NaN : before + 1;
  return new Date(Number.isNaN(time) ? 0 : time).toISOString();
}
function rewriteWhole(session, node, edits) {
  const entry = { ...session.transcript.read(node) };
  for (const edit of edits) {
    if (!("set" in edit)) continue;
    const [key, inner] = edit.path;
    if (inner === void 0) entry[String(key)] = edit.set;
    else
      entry[String(key)] = {
        ...isObject(entry[String(key)]) ? entry[String(key)] : {},
        [String(inner)]: edit.set
      };
  }
  return { path: [], set: wellFormed2(entry) };
}
function wellFormed2(value) {
  if (typeof value === "string") return value.toWellFormed();
  if (isArray(value)) return value.map(wellFormed2);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(
      ([key, inner]) => inner === void 0 ? [] : [[key.toWellFormed(), wellFormed2(inner)]]
    )
  );
}

// src/doctor/repair/sequence.ts
function sequenceOf(session, strategy) {
  const newer = newerBranch(session);
  if (newer === void 0 || strategy === "bridge") return orderOf(session);
  const active = session.branches[0];
  if (active === void 0) return orderOf(session);
  if (strategy === "newest")
    return orderOf({ ...session, branches: [wholeBranch(active, newer), ...session.branches] });
  const first = orderOf(session);
  const own = newer.nodes.flatMap((node) => [node, ...newer.beside.get(node) ?? []]);
  return { ...first, nodes: [...first.nodes, ...own.filter((node) => isLink(node) && !isBoundary(node))] };
}
function newerBranch(session) {
  const [active, ...others] = session.branches;
  if (active === void 0) return void 0;
  const newer = others.filter(
    (branch) => !branch.isReplay && branch.leaf.time > active.leaf.time && branch.nodes.some((node) => isMessage(node))
  );
  return newer.toSorted((a, b) => b.leaf.time - a.leaf.time)[0];
}
function wholeBranch(active, branch) {
  const at = branch.fork === void 0 ? -1 : active.nodes.indexOf(branch.fork);
  const shared = active.nodes.slice(0, at + 1);
  const beside = new Map(branch.beside);
  for (const node of shared) {
    const lines = active.beside.get(node);
    if (lines !== void 0) beside.set(node, lines);
  }
  return { ...branch, active: true, nodes: [...shared, ...branch.nodes], beside };
}
function orderOf(session) {
  const { order, copies: copies2, compaction } = expectedOf(session);
  const drops = /* @__PURE__ */ new Map();
  for (const copy of copies2) drops.set(copy, "repeats an earlier line under another uuid");
  const way = compaction === void 0 ? order : order.slice(order.indexOf(compaction));
  for (const node of way) {
    if (isBoundary(node) && node !== compaction) drops.set(node, "a compaction without a summary");
    else if (node.isApiError) drops.set(node, "an error message of the client, not of the model");
    else if (isMessage(node) && !node.hasContent) drops.set(node, "a message without content");
  }
  const replaced = replacedBy(session);
  const nodes = way.flatMap((node) => [...replaced.get(node) ?? [], node]);
  const links = nodes.filter((node) => isLink(node) && !drops.has(node));
  return { nodes: [...links, ...resultsElsewhere(session, links)], drops };
}
function resultsElsewhere({ relatives }, links) {
  const known = new Set(links);
  const answered = new Set(links.flatMap((node) => resultsOf(node).map(({ toolUseId }) => toolUseId)));
  const open = links.flatMap(callsOf).filter(({ id }) => !answered.has(id));
  return [...new Set(open.flatMap(({ id }) => relatives.resultsFor(id).slice(0, 1)))].filter(
    (node) => !known.has(node)
  );
}
function replacedBy({ transcript, graph }) {
  const earlier = /* @__PURE__ */ new Map();
  for (const node of transcript.nodes) {
    const later = graph.byUuid(node.uuid);
    if (later === void 0 || later === node || !isMessage(node) || node.isSidechain !== later.isSidechain) continue;
    if (JSON.stringify(transcript.read(node).message) === JSON.stringify(transcript.read(later).message)) continue;
    earlier.set(later, [...earlier.get(later) ?? [], node]);
  }
  return earlier;
}
function isLink(node) {
  return isMessage(node) || node.type === "system" || node.type === "attachment";
}

// src/doctor/repair/repair.ts
async function planRepair(source2, diagnosis, options = {}) {
  if (!diagnosis.findings.some(isMendable)) return void 0;
  const { session } = source2;
  const strategy = options.strategy ?? defaultStrategy(diagnosis);
  const main = repairMain(session, strategy);
  const rewrites = /* @__PURE__ */ new Map([[session.transcript.path, main.rewrite]]);
  const dropped = [...main.dropped];
  for (const agent of session.agents) {
    if (agent.path === void 0 || !diagnosis.findings.some(({ file: file2 }) => file2 === agent.path)) continue;
    const own = repairAgent({ ...await loadAgent(session, agent), isAgent: true });
    rewrites.set(agent.path, own.rewrite);
    dropped.push(...own.dropped.map((each) => ({ ...each, file: agent.path ?? "" })));
  }
  const result = options.isInPlace === true ? sameSession(source2, { rewrites }) : newSession(source2, { rewrites });
  return {
    operation: "fix",
    words: ["--strategy", strategy],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [result, ...strayedSessions(source2, main.strangers)],
    dropped,
    notes: notesFor(diagnosis, main.strangers),
    violations: "all",
    expects: (staged, index) => index === 0 ? findingsLeft(staged) : []
  };
}
function defaultStrategy({ findings }) {
  return findings.some(({ code }) => code === "G-lost-leaf") ? "newest" : "bridge";
}
async function findingsLeft({ session }) {
  const { findings, reachable } = await diagnoseSession(session);
  const left = findings.filter(isMendable).map(({ code, line: line2, message: message2 }) => `${code} at line ${line2} is left: ${message2}`);
  return reachable.loaded === reachable.of ? left : [...left, `a resume would load ${reachable.loaded} of ${reachable.of} entries`];
}
function repairMain(session, strategy) {
  const strangers = strangersOf(examine(session));
  const away = new Set([...strangers.values()].flat());
  const own = away.size === 0 ? session : withoutNodes(session, away);
  const sequence = sequenceOf(own, strategy);
  const copies2 = copiesElsewhere(own, sequence.nodes);
  const { lines, drops: emptied } = repairBlocks(
    own,
    sequence.nodes.filter((node) => !copies2.has(node))
  );
  const reasons = new Map([...sequence.drops, ...copies2, ...emptied, ...sameTwice(own)]);
  const linked = relink({
    session: own,
    lines,
    drops: new Set(reasons.keys()),
    rewritten: oddNodes(own.transcript)
  });
  const indexOf = new Map(session.transcript.nodes.map((node) => [`${node.offset}`, node.index]));
  const index = (node) => indexOf.get(`${node.offset}`) ?? -1;
  const drops = new Map([...reasons].map(([node, reason]) => [index(node), reason]));
  const inserts = new Map(
    [...linked.made].map(([node, entries]) => [index(node), entries])
  );
  if (linked.first.length > 0) inserts.set(-1, linked.first);
  const last = session.transcript.nodes.at(-1)?.index ?? -1;
  if (linked.leafUuid !== void 0) {
    const pin = { type: "last-prompt", leafUuid: linked.leafUuid, explicit: true, sessionId: session.id };
    inserts.set(last, [...inserts.get(last) ?? [], pin]);
  }
  const gone = new Map([...drops, ...[...away].map((node) => [node.index, "moved"])]);
  return {
    rewrite: { edits: byIndex(linked.edits, index), drops: gone, inserts, isCleaned: true },
    dropped: [...droppedBy(session.transcript, drops), ...fragments(session.transcript)],
    strangers
  };
}
function repairAgent(session) {
  const reasons = sameTwice(session);
  const linked = relink({
    session,
    lines: [],
    drops: new Set(reasons.keys()),
    rewritten: oddNodes(session.transcript)
  });
  const drops = new Map([...reasons].map(([node, reason]) => [node.index, reason]));
  return {
    rewrite: { edits: byIndex(linked.edits, (node) => node.index), drops, isCleaned: true },
    dropped: [...droppedBy(session.transcript, drops), ...fragments(session.transcript)]
  };
}
function byIndex(edits, index) {
  return new Map([...edits].map(([node, own]) => [index(node), own]));
}
function withoutNodes(session, away) {
  const picked = session.transcript.pick(session.transcript.nodes.filter((node) => !away.has(node)));
  const diagnostics = session.transcript.diagnostics;
  return makeSession(session.files, { ...picked, diagnostics });
}
function sameTwice(session) {
  const drops = /* @__PURE__ */ new Map();
  for (const node of session.transcript.nodes) {
    const later = session.graph.byUuid(node.uuid);
    if (later === void 0 || later === node) continue;
    const [one, other] = [node, later].map((each) => JSON.stringify(session.transcript.read(each).message));
    if (node.type === later.type && one === other) drops.set(node, `line ${later.line} is the same again`);
  }
  return drops;
}
function copiesElsewhere(session, chain) {
  const drops = /* @__PURE__ */ new Map();
  const onChain = new Set(chain);
  const told = new Set(chain.flatMap((node) => node.type === "assistant" ? node.message?.id ?? [] : []));
  for (const branch of session.branches) {
    if (branch.fork !== void 0 && !branch.isReplay) continue;
    for (const node of branch.nodes) {
      const isCopy = node.type === "assistant" && node.message?.id !== void 0 && told.has(node.message.id);
      if (isCopy && !onChain.has(node)) drops.set(node, "repeats an earlier line under another uuid");
    }
  }
  return drops;
}
function oddNodes(transcript) {
  const lines = new Set(
    transcript.diagnostics.filter(({ code }) => code === "L-utf8" || code === "L-surrogate").map(({ line: line2 }) => line2)
  );
  return new Set(transcript.nodes.filter(({ line: line2 }) => lines.has(line2)));
}
function fragments({ diagnostics }) {
  const codes2 = /* @__PURE__ */ new Set(["L-torn-tail", "L-spliced", "L-not-json"]);
  return diagnostics.filter(({ code }) => codes2.has(code)).map(({ code, line: line2, message: message2 }) => ({ line: line2, reason: `no record (${code}): ${message2}` }));
}
function strayedSessions(source2, strangers) {
  const { transcript } = source2.session;
  return [...strangers].map(([id, nodes]) => {
    const isFree = isUuid(id) && !existsSync2(path6.join(source2.folder, `${id}.jsonl`));
    const sessionId2 = isFree ? id : randomUUID4();
    const kept = new Set(nodes);
    const drops = new Map(transcript.nodes.filter((node) => !kept.has(node)).map((node) => [node.index, "elsewhere"]));
    const lines = () => rewriteLines(transcript, { drops, isCleaned: true });
    return {
      sessionId: sessionId2,
      folder: source2.folder,
      isInPlace: false,
      files: [{ name: `${sessionId2}.jsonl`, content: { lines } }]
    };
  });
}
function isUuid(id) {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}
function notesFor({ findings }, strangers) {
  const notes = [];
  if (findings.some(({ code }) => code === "A-too-long"))
    notes.push("the conversation is too long for the model: `clew strip` shows what takes the room");
  for (const [id, nodes] of strangers)
    notes.push(`${nodes.length} lines of session ${id} are now a session of their own`);
  return notes;
}

// src/surgery/portable.ts
import { randomUUID as randomUUID5 } from "node:crypto";

// src/session/resume/normalise.ts
function normalise(messages2) {
  return messages2.filter((message2) => message2.role !== "system").map(({ role: role2, content: content2 }) => ({ role: role2, content: normalBlocks(content2) })).filter((message2) => message2.content.length > 0);
}
function normalBlocks(content2) {
  if (typeof content2 === "string") return normalBlocks([{ type: "text", text: content2 }]);
  return content2.map(({ cache_control: _, ...block }) => withoutFoldedReminders(block)).filter((block) => !isReminder2(block));
}
function isReminder2(block) {
  return isObject(block) && block.type === "text" && /^\s*<system-reminder>/.test(asString(block.text) ?? "");
}
function withoutFoldedReminders(block) {
  if (block.type !== "tool_result") return block;
  const { content: content2 } = block;
  if (typeof content2 === "string")
    return { ...block, content: content2.replace(/\n\n<system-reminder>\n[\s\S]*<\/system-reminder>\s*$/, "") };
  if (!isArray(content2) || !content2.some(isReminder2)) return block;
  const kept = [];
  for (const inner of content2) {
    if (isReminder2(inner)) kept.push(...withoutLastNewline(kept.splice(-1)));
    else kept.push(inner);
  }
  return { ...block, content: kept };
}
function withoutLastNewline(blocks2) {
  return blocks2.map((block) => {
    if (!isObject(block) || block.type !== "text") return block;
    return { ...block, text: asString(block.text)?.replace(/\n$/, "") };
  });
}

// src/surgery/portable.ts
function makePortable(session) {
  const traced = traceMessages(session);
  if ("refused" in traced) return traced;
  if (traced.messages.length === 0) return { refused: "the session holds nothing that a resume would send" };
  const writer = new ChainWriter(session);
  const boundary = startingBoundary(session);
  if (boundary !== void 0) writer.addBoundary(boundary);
  for (const message2 of traced.messages) {
    if (message2.role === "assistant") writer.addAnswer(message2);
    else writer.addInput(message2);
  }
  if (traced.messages.at(-1)?.role === "user")
    writer.addAnswer({ role: "assistant", content: [textBlock(texts3.noResponse)], lines: [] });
  const asides = session.transcript.nodes.filter(isKeptAside);
  for (const node of asides) writer.addAside(node);
  writer.addPin();
  return { lines: writer.lines, dropped: droppedLines(session, writer) };
}
function isKeptAside(node) {
  return !node.hidden && keptAsides.has(node.type);
}
var keptAsides = /* @__PURE__ */ new Set([
  "custom-title",
  "ai-title",
  "agent-name",
  "summary",
  "tag",
  "file-history-snapshot",
  "file-history-delta"
]);
function startingBoundary(session) {
  const resumed = resumeLines(session.transcript);
  const [first] = "refused" in resumed ? [] : resumed.lines;
  return first !== void 0 && isBoundary(first) ? first : void 0;
}
function droppedLines(session, writer) {
  const written = new Set(writer.lines.map(({ node }) => node));
  const resumed = resumeLines(session.transcript);
  const chain = new Set("refused" in resumed ? [] : resumed.lines);
  return session.transcript.nodes.filter((node) => !written.has(node)).map((node) => ({
    node,
    reason: writer.isJoined(node) ? "its text is part of the line that it is sent with" : reasonFor(node, chain)
  }));
}
function reasonFor(node, chain) {
  if (!isLinked(node)) return "bookkeeping that the client writes anew";
  if (node.isSidechain) return "a line of a sub-agent, which older clients would take for the conversation";
  if (node.type === "progress") return "progress, which is never sent";
  if (node.type === "attachment") return "context that the client gathers anew";
  if (chain.has(node)) return "on the chain, but not sent";
  return "not on the chain that a resume continues";
}
var ChainWriter = class {
  lines = [];
  #session;
  #usedIds = /* @__PURE__ */ new Set();
  #usedLines = /* @__PURE__ */ new Set();
  /** Lines whose text stands in the line of another. */
  #joined = /* @__PURE__ */ new Set();
  #last = null;
  #time = Number.NEGATIVE_INFINITY;
  #envelope = {};
  constructor(session) {
    this.#session = session;
  }
  /** What it keeps of the old history stands behind the summary by now. */
  addBoundary(node) {
    const entry = this.#read(node);
    const { preservedSegment, preservedMessages, ...compactMetadata } = asObject(entry.compactMetadata) ?? {};
    this.#add(node, { ...entry, logicalParentUuid: void 0, compactMetadata });
  }
  addAnswer(message2) {
    const id = this.#messageId(message2);
    const hasCalls = message2.content.some((block) => block.type === "tool_use");
    for (const block of message2.content) {
      const node = message2.lines.find((line2) => holds(this.#read(line2), block)) ?? message2.lines[0];
      const stored = node === void 0 ? {} : asObject(this.#read(node).message) ?? {};
      this.#add(node, {
        ...node === void 0 ? { type: "assistant" } : this.#read(node),
        message: {
          type: "message",
          role: "assistant",
          usage: { input_tokens: 0, output_tokens: 0 },
          stop_sequence: null,
          ...stored,
          id,
          model: asString(stored.model) ?? syntheticModel,
          stop_reason: hasCalls ? "tool_use" : "end_turn",
          content: [block]
        }
      });
    }
  }
  /** Results stand first, a line each; then all text in one line, because clients join several lines differently. */
  addInput(message2) {
    for (const block of message2.content) if (block.type === "tool_result") this.#addResult(message2, block);
    const left = message2.content.filter(
      (block) => block.type !== "tool_result" && block.text !== texts3.toolLoaded && !isReminder2(block)
    );
    if (left.length === 0) return;
    const nodes = message2.lines.filter(
      (node) => resultsOf(node).length === 0 || node.message?.blockTypes.includes("text")
    );
    const spoken = nodes.filter((node) => !this.#usedLines.has(node));
    const carrier = spoken.findLast((node) => node.promptKind !== void 0) ?? spoken.find(isMessage) ?? spoken[0];
    this.#add(
      carrier,
      asUserLine(
        carrier,
        spoken.map((node) => this.#read(node)),
        left,
        carrier && this.#read(carrier)
      )
    );
    for (const node of spoken) if (node !== carrier) this.#joined.add(node);
  }
  #addResult(message2, block) {
    const node = message2.lines.find((line2) => holds(this.#read(line2), block));
    const entry = node === void 0 ? { type: "user" } : this.#read(node);
    const isAlone = (node?.message?.results.length ?? 0) < 2;
    const { content: [own] = [] } = normalise([{ role: "user", content: [block] }])[0] ?? {};
    this.#add(node, {
      ...entry,
      ...isAlone ? {} : { toolUseResult: void 0 },
      message: { role: "user", content: [own ?? block] }
    });
  }
  addAside(node) {
    this.lines.push({ entry: this.#read(node), node });
  }
  isJoined(node) {
    return this.#joined.has(node);
  }
  addPin() {
    if (this.#last === null) return;
    this.lines.push({ entry: { type: "last-prompt", leafUuid: this.#last, sessionId: this.#session.id } });
  }
  /** Unique for each answer: readers join all lines that share one. */
  #messageId(message2) {
    const stored = message2.lines.map((line2) => line2.message?.id).find((id2) => id2 !== void 0 && id2 !== "");
    const id = stored === void 0 || this.#usedIds.has(stored) ? `msg_${randomUUID5().replaceAll("-", "")}` : stored;
    this.#usedIds.add(id);
    return id;
  }
  #add(node, entry) {
    const envelope = this.#envelopeOf(entry);
    const isFirst = node?.uuid !== void 0 && !this.#usedLines.has(node);
    if (node !== void 0) this.#usedLines.add(node);
    const uuid2 = isFirst && node?.uuid !== void 0 ? node.uuid : randomUUID5();
    const time = node === void 0 || Number.isNaN(node.time) ? this.#time + 1 : Math.max(node.time, this.#time + 1);
    this.#time = Number.isFinite(time) ? time : Date.UTC(2026, 0, 1);
    const written = { ...entry, ...envelope, parentUuid: this.#last, isSidechain: false, uuid: uuid2 };
    const line2 = withoutAbsent({ ...written, timestamp: new Date(this.#time).toISOString() });
    this.lines.push(isFirst && node !== void 0 ? { entry: line2, node } : { entry: line2 });
    this.#last = uuid2;
  }
  /** Every line carries the whole envelope; what a line lacks it takes from the one before. */
  #envelopeOf(entry) {
    const envelope = {};
    for (const [key, fallback] of Object.entries(fullEnvelope)) {
      envelope[key] = entry[key] ?? this.#envelope[key] ?? fallback;
    }
    envelope.sessionId = this.#session.id;
    this.#envelope = envelope;
    return envelope;
  }
  #read(node) {
    return this.#session.transcript.read(node);
  }
};
var fullEnvelope = { userType: "external", cwd: "/", version: "2.1.45", gitBranch: "" };
function withoutAbsent(entry) {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== void 0));
}
function holds(entry, block) {
  const content2 = asObject(entry.message)?.content;
  if (!Array.isArray(content2)) return false;
  return content2.some((stored) => {
    const own = asObject(stored);
    if (own === void 0 || own.type !== block.type) return false;
    if (own.type === "tool_use") return own.id === block.id;
    if (own.type === "tool_result") return own.tool_use_id === block.tool_use_id;
    return JSON.stringify(own) === JSON.stringify(block);
  });
}
function asUserLine(carrier, lines, blocks2, entry = {}) {
  const [only] = blocks2;
  const isText2 = blocks2.length === 1 && only?.type === "text" && Object.keys(only).length === 2;
  const message2 = { role: "user", content: isText2 ? only?.text ?? "" : blocks2 };
  const marks = Object.fromEntries(
    partMarks.map((key) => [key, lines.every((line2) => line2[key] === true) ? true : void 0])
  );
  if (carrier?.type === "user") return { ...entry, ...lines.length > 1 ? marks : {}, message: message2 };
  const { subtype: subtype2, content: _, level, attachment: attachment2, rendered, renderedRole, ...rest } = entry;
  return { ...rest, type: "user", message: message2 };
}
var partMarks = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];

// ../../../tmp/r4/dbg.ts
import { writeFileSync } from "node:fs";
var [, , what, file] = process.argv;
var source = await loadSource(file);
if (what === "fix") {
  const plan = await planRepair(source, await diagnoseSession(source.session));
  for (const l of plan.results[0].files[0].content.lines()) console.log(l.bytes.toString().replace(/"data":"[^"]*"/, "").slice(0, 900), l.isEdited);
} else {
  const p = makePortable(source.session);
  writeFileSync("/tmp/r4/port.jsonl", p.lines.map((l) => JSON.stringify(l.entry) + "\n").join(""));
  const a = requestMessages(source.session), b = requestMessages(await loadSession("/tmp/r4/port.jsonl"));
  console.log(a.messages.length, b.messages.length);
  for (let i = 0; i < Math.max(a.messages.length, b.messages.length); i++) if (JSON.stringify(a.messages[i]) !== JSON.stringify(b.messages[i])) {
    console.log(i, JSON.stringify(a.messages[i]).slice(0, 1500), "\n----\n", JSON.stringify(b.messages[i])?.slice(0, 1500));
    break;
  }
}
