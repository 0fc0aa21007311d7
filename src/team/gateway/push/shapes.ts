// What the rows of a session must look like before any of them reaches the database.
import type { JsonValue } from '../../../base/json/index.ts';
import type {
  CallPathRow,
  CallRow,
  CellRow,
  ExchangeRow,
  PackRow,
  PromptRow,
  SessionHead,
  SessionRows,
  TextRow,
  TitleRow,
  TombstoneReason,
} from '../../contract/index.ts';
import {
  bigInteger,
  type Check,
  flag,
  integer,
  isoTime,
  json,
  jsonObject,
  listOf,
  numberIn,
  oneOf,
  orMissing,
  orNull,
  type Shape,
  textUpTo,
  time,
  wholeNumber,
  words,
} from './check.ts';

const name = textUpTo(1_000);
const hash = textUpTo(200, /^[\x21-\x7e]*$/);
const noControls = /^[^\p{Cc}]+$/u;
const sessionId = textUpTo(200, /^[^\p{C}\p{Z}/\\]+$/u);
const machine = textUpTo(200, noControls);
const month = textUpTo(10, /^(?:1970-01|20[2-9]\d-(?:0[1-9]|1[0-2]))-01$/);
const reasons: readonly TombstoneReason[] = ['removed', 'lowered', 'redacted', 'undone'];
/** As large as a file that Clew reads. */
const longText = textUpTo(64 * 1024 * 1024);

const head: Shape<SessionHead> = {
  sessionId,
  baseId: sessionId,
  machine,
  level: wholeNumber(1, 4),
  contentKey: textUpTo(200, noControls),
  month,
  months: listOf(month, 1_000),
  mainBytes: bigInteger,
  mainSha256: hash,
  continues: orMissing(hash),
  rules: orNull(name),
  startedAt: orNull(isoTime),
  endedAt: orNull(isoTime),
  projectHash: hash,
  facts: jsonObject,
  tombstone: orMissing(oneOf(reasons)),
  raises: orMissing(flag),
};

type RequestShape = Readonly<Record<string, Check>>;
export const helloShape: RequestShape = { machine };
export const removeShape: RequestShape = { sessionId, reason: oneOf(reasons), machine, kept: wholeNumber(0, 4) };
export const goodbyeShape: RequestShape = { machine, digest: textUpTo(1_000, noControls) };

const cells: Shape<CellRow> = {
  quarter: orNull(integer),
  model: orNull(name),
  isFast: flag,
  isLowerBound: flag,
  messages: integer,
  inputTokens: bigInteger,
  outputTokens: bigInteger,
  cacheReadTokens: bigInteger,
  cacheWrite5mTokens: bigInteger,
  cacheWrite1hTokens: bigInteger,
  costMicroUsd: orNull(numberIn(0, 1e18)),
};

const calls: Shape<CallRow> = { callKey: name, name, calledAt: orNull(time), isError: orNull(flag) };
const prompts: Shape<PromptRow> = { promptKey: name, typedAt: orNull(time), isCopy: flag };
const titles: Shape<TitleRow> = { title: orNull(longText), cwd: orNull(longText), path: longText, facts: jsonObject };
const callPaths: Shape<CallPathRow> = { nth: integer, calledAt: orNull(time), touched: longText };

const documents: Shape<TextRow> = {
  agent: name,
  line: integer,
  kind: name,
  part: integer,
  saidAt: orNull(time),
  tool: orNull(longText),
  uuid: orNull(name),
  text: longText,
  words,
  tokens: integer,
  facts: json,
};

const exchanges: Shape<ExchangeRow> = {
  agent: name,
  line: integer,
  firstLine: integer,
  endLine: integer,
  saidAt: orNull(time),
  words,
  tokens: listOf(integer, 100),
  facts: json,
};

/** Below a folder: the file is written there again on another machine. */
const relativePath: Check = (value) => {
  const wrong = textUpTo(4_096, /^[^\p{Cc}\\]+$/u)(value);
  if (wrong !== undefined) return wrong;
  const isBelow = String(value)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..');
  return isBelow ? undefined : 'is not a path below the folder';
};

const packs: Shape<PackRow> = {
  isOriginal: flag,
  nth: integer,
  chunk: integer,
  name: relativePath,
  sizeBytes: orNull(bigInteger),
  sha256: orNull(hash),
  mode: orNull(wholeNumber(0, 0o7777)),
  mtimeMs: orNull(time),
  codec: textUpTo(40, /^[\w.+-]+$/),
  // Bytes are base64 on the way.
  data: (value: JsonValue | undefined) =>
    typeof value === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)
      ? undefined
      : 'is not base64',
};

export type Table = Exclude<keyof SessionRows, 'head'>;

export const headShape: Readonly<Record<string, Check>> = head;

export const tableShapes: Readonly<Record<Table, Readonly<Record<string, Check>>>> = {
  cells,
  calls,
  prompts,
  titles,
  callPaths,
  documents,
  exchanges,
  packs,
};

/** The lowest level that has rows of the table. */
export const tableLevels: Readonly<Record<Table, number>> = {
  cells: 1,
  calls: 1,
  prompts: 1,
  titles: 2,
  callPaths: 2,
  documents: 3,
  exchanges: 3,
  packs: 3,
};
