// The rows of a session ⇄ lines of JSON, as a push sends them: the head, one line for each row, and the number of rows, so
// that a session that was cut off is not taken for a shorter one. The bytes of packs are base64.
import { asString, isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../../../base/json/index.ts';
import { monthOf, type PackRow, type SessionHead, type SessionRows } from '../../contract/index.ts';
import { checkShape } from './check.ts';
import { headShape, type Table, tableLevels, tableShapes } from './shapes.ts';

/** Of this form; another one has another number. */
const form = 1;

const tables = Object.keys(tableShapes) as readonly Table[];

export function* writeSession(session: SessionRows): Generator<string> {
  yield `${JSON.stringify({ form, head: session.head })}\n`;
  let rows = 0;
  for (const table of tables)
    for (const row of session[table]) {
      rows++;
      yield `${JSON.stringify([table, table === 'packs' ? packJson(row as PackRow) : row])}\n`;
    }
  yield `${JSON.stringify({ rows })}\n`;
}

function packJson(row: PackRow): object {
  const { buffer, byteOffset, length } = row.data;
  return { ...row, data: Buffer.from(buffer, byteOffset, length).toString('base64') };
}

/** The request is refused with 400; the message does not quote it. */
export class MalformedError extends Error {}

/** Takes lines and checks each; `end` returns the session. */
export class SessionReader {
  #head: SessionHead | undefined;
  readonly #rows: { [T in Table]: JsonObject[] } = {
    cells: [],
    calls: [],
    prompts: [],
    titles: [],
    callPaths: [],
    documents: [],
    exchanges: [],
    packs: [],
  };
  #packs: PackRow[] = [];
  #count = 0;
  #line = 0;
  #isWhole = false;

  add(line: string): void {
    this.#line++;
    const value = parseJson(line);
    if (value === undefined) this.#refuse('is not JSON');
    else if (this.#isWhole) this.#refuse('is after the end');
    else if (this.#head === undefined) this.#addHead(value);
    else if (isArray(value)) this.#addRow(this.#head, value);
    else this.#addEnd(value);
  }

  end(): SessionRows {
    const head = this.#head;
    if (head === undefined || !this.#isWhole) throw new MalformedError('the session is cut off');
    const session = { head, ...this.#rows, packs: this.#packs } as unknown as SessionRows; // every member was checked
    const wrong = checkSession(session);
    if (wrong !== undefined) throw new MalformedError(wrong);
    return session;
  }

  #addHead(value: JsonValue): void {
    if (!isObject(value) || value.form !== form) this.#refuse(`is not the beginning of form ${form}`);
    const wrong = checkShape(value.head, headShape);
    if (wrong !== undefined) this.#refuse(`has a head that is wrong: head${wrong}`);
    this.#head = value.head as unknown as SessionHead; // checked
  }

  #addRow({ level, months }: SessionHead, value: readonly JsonValue[]): void {
    const [name, row, ...others] = value;
    const table = tables.find((each) => each === name);
    if (table === undefined || others.length > 0) this.#refuse('is not a row of a known table');
    const wrong = checkShape(row, tableShapes[table]);
    if (wrong !== undefined) this.#refuse(`has a row that is wrong: ${table}${wrong}`);
    const checked = row as JsonObject; // an object with these members
    if (level < tableLevels[table] || (checked.isOriginal === true && level < 4))
      this.#refuse(`has a row that level ${level} does not have`);
    const month = monthIn(table, checked);
    if (month !== undefined && !months.includes(month))
      this.#refuse('has a row of a month that the head does not name');
    this.#count++;
    if (table !== 'packs') this.#rows[table].push(checked);
    else
      this.#packs.push({
        ...(checked as unknown as PackRow), // checked
        data: Buffer.from(asString(checked.data) ?? '', 'base64'),
      });
  }

  #addEnd(value: JsonValue): void {
    if (!isObject(value) || value.rows !== this.#count) this.#refuse('does not have the number of rows');
    this.#isWhole = true;
  }

  #refuse(what: string): never {
    throw new MalformedError(`line ${this.#line} ${what}`);
  }
}

const quarterMs = 15 * 60 * 1000;

/** Of its own time; `undefined` for rows that are in the month of their session. */
function monthIn(table: Table, row: JsonObject): string | undefined {
  if (table === 'titles' || table === 'packs') return undefined;
  const at = table === 'cells' ? row.quarter : (row.calledAt ?? row.typedAt ?? row.saidAt ?? null);
  return monthOf(typeof at === 'number' ? at * (table === 'cells' ? quarterMs : 1) : null);
}

/** What no row shows alone. */
function checkSession({ head, calls, titles, callPaths, packs }: SessionRows): string | undefined {
  const { sessionId, baseId, months, month } = head;
  if (sessionId !== baseId && !sessionId.startsWith(`${baseId}@`)) return 'head: sessionId does not belong to baseId';
  if (!months.includes(month)) return 'head: month is not one of months';
  if (new Set(months).size !== months.length) return 'head: months has the same month twice';
  const next = new Date();
  next.setUTCMonth(next.getUTCMonth() + 1, 1);
  if (months.some((each) => each > monthOf(next.getTime()))) return 'head: months has a month in the future';
  if (titles.length > 1) return 'titles has more than one row';
  if (callPaths.some(({ nth }) => nth >= calls.length)) return 'callPaths: nth is not a call';
  if (new Set(callPaths.map(({ nth }) => nth)).size !== callPaths.length) return 'callPaths has the same nth twice';
  const pieces = packs.map(({ isOriginal, nth, chunk }) => `${isOriginal} ${nth} ${chunk}`);
  return new Set(pieces).size === pieces.length ? undefined : 'packs has the same piece twice';
}
