// The times of a session's lines, read from the raw JSON and by nothing of Clew: what the spans of the session may be
// compared with.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Raw = Readonly<Record<string, unknown>>;

/** The times of the lines of one response or call, and of what caused it. */
export interface RawTimes {
  /** Of its own lines, earliest first. */
  readonly own: readonly number[];
  /** Of the lines that can have caused it: the one before it, the last input before it, its parent, its request. */
  readonly causes: readonly number[];
}

export interface RawSession {
  /** Of all user and assistant lines. */
  readonly times: readonly number[];
  /** By message id. */
  readonly responses: ReadonlyMap<string, RawTimes>;
  /** By the id of the call: the lines of the call are its causes. */
  readonly calls: ReadonlyMap<string, RawTimes>;
  /** The times of user lines that hold no result. */
  readonly inputs: ReadonlySet<number>;
  /** Messages with a line that has no time. */
  readonly untimed: ReadonlySet<string>;
}

/** Of the main transcript, the files below the session's folder and the flat agent files next to it. */
export function readRawSession(main: string): RawSession {
  const folder = main.replace(/\.jsonl$/, '');
  const below = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const flatAgents = readdirSync(path.dirname(main)).filter((name) => /^agent-.*\.jsonl$/.test(name));
  const files = [
    main,
    ...below.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name)),
    ...flatAgents.map((name) => path.join(path.dirname(main), name)),
  ];
  const session: Session = { times: [], responses: new Map(), calls: new Map(), inputs: new Set(), untimed: new Set() };
  for (const file of new Set(files)) addFile(session, rawLines(file));
  return session;
}

interface Session {
  readonly times: number[];
  readonly responses: Map<string, RawTimes>;
  readonly calls: Map<string, RawTimes>;
  readonly inputs: Set<number>;
  readonly untimed: Set<string>;
}

function addFile(session: Session, lines: readonly Raw[]): void {
  const byUuid = new Map(lines.map((line) => [line.uuid, line]));
  const requests = new Map(lines.filter((line) => line.type === 'api-request').map((line) => [line.id, line]));
  for (const [i, line] of lines.entries()) {
    const time = timeOf(line);
    const id = line.type === 'user' ? undefined : objectOf(line.message).id;
    if (time === undefined) {
      if (typeof id === 'string') session.untimed.add(id);
      continue;
    }
    if (isSpoken(line)) session.times.push(time);
    if (line.type === 'user' && !blocksOf(line).some((block) => block.type === 'tool_result')) session.inputs.add(time);
    if (typeof id === 'string') {
      const isOther = (each: Raw): boolean => isSpoken(each) && objectOf(each.message).id !== id;
      const isSame = (each: Raw): boolean =>
        each.isSidechain === line.isSidechain && (line.isSidechain !== true || rootOf(each, byUuid) === root);
      const root = rootOf(line, byUuid);
      const before = lines.slice(0, i).filter(isSame);
      const causes = [
        before.findLast(isOther),
        before.findLast((each) => each.type === 'user' && isSpoken(each)),
        ancestor(line, byUuid),
        requests.get(line.requestRef),
      ];
      const found = causes.flatMap((each) => (each === undefined ? [] : (timeOf(each) ?? [])));
      add(session.responses, id, [time], session.responses.has(id) ? [] : found);
    }
    for (const block of blocksOf(line)) {
      if (typeof block.id === 'string' && String(block.type).endsWith('tool_use'))
        add(session.calls, block.id, [], [time]);
      if (typeof block.tool_use_id === 'string') add(session.calls, block.tool_use_id, [time], []);
    }
  }
}

/** The nearest user line above a line, wherever it is in the file; side lines are a conversation of their own. */
function ancestor(line: Raw, byUuid: ReadonlyMap<unknown, Raw>): Raw | undefined {
  const passed = new Set<Raw>();
  for (let each = byUuid.get(line.parentUuid); each !== undefined; each = byUuid.get(each.parentUuid)) {
    if (passed.has(each) || (isSpoken(each) && each.isSidechain !== line.isSidechain)) return undefined;
    if (each.type === 'user') return each;
    passed.add(each);
  }
  return undefined;
}

/** The uuid that the chain of a line ends at: several agents may have their lines in one file (1.0.x). */
function rootOf(line: Raw, byUuid: ReadonlyMap<unknown, Raw>): unknown {
  const passed = new Set<Raw>();
  let each = line;
  for (let parent = byUuid.get(each.parentUuid); parent !== undefined; parent = byUuid.get(each.parentUuid)) {
    if (passed.has(parent)) break;
    passed.add(parent);
    each = parent;
  }
  return each.uuid;
}

function add(all: Map<string, RawTimes>, id: string, own: readonly number[], causes: readonly number[]): void {
  const known = all.get(id) ?? { own: [], causes: [] };
  all.set(id, { own: [...known.own, ...own].sort((a, b) => a - b), causes: [...known.causes, ...causes] });
}

function rawLines(file: string): readonly Raw[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        const value: unknown = JSON.parse(text);
        return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value as Raw] : [];
      } catch {
        return [];
      }
    });
}

function isSpoken(line: Raw): boolean {
  const role = line.type ?? objectOf(line.message).role;
  return role === 'user' || role === 'assistant';
}

function timeOf(line: Raw): number | undefined {
  const time = Date.parse(String(line.timestamp ?? objectOf(line.message).timestamp));
  return Number.isNaN(time) ? undefined : time;
}

function blocksOf(line: Raw): readonly Raw[] {
  const { content } = objectOf(line.message);
  return Array.isArray(content) ? content.map(objectOf) : [];
}

function objectOf(value: unknown): Raw {
  return typeof value === 'object' && value !== null ? (value as Raw) : {};
}
