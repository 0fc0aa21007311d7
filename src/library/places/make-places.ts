// A session → the branch and turn of each of its lines, and of the calls that started its sub-agents.
import { statSync } from 'node:fs';
import { largeFileBytes } from '../../base/process/index.ts';
import { forkedFromOf, tagOf, titleOf } from '../../session/facts/index.ts';
import { type AgentSource, loadSession, type Session } from '../../session/load/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import type { Database } from '../index/index.ts';
import type { Place, PlaceTable } from './place-table.ts';

/** `undefined`: the transcript is gone or unreadable by now. */
export async function makePlaces(database: Database, file: string): Promise<PlaceTable | undefined> {
  try {
    const isLarge = statSync(file).size > largeFileBytes;
    return placesOf(database, await loadSession(file, { strict: !isLarge }));
  } catch {
    return undefined; // the hit is shown without its place
  }
}

export function placesOf(database: Database, session: Session): PlaceTable {
  const places = new Places(database, session);
  const agents: Record<string, readonly number[]> = {};
  for (const { path } of session.agents) {
    const place = path === undefined ? nowhere : places.placeOfAgentFile(path);
    if (path !== undefined && place !== nowhere) agents[path] = [place.turn ?? 0, place.branch ?? 0];
  }
  return {
    title: titleOf(session),
    tag: tagOf(session),
    forkedFrom: forkedFromOf(session),
    lines: packed(places.ofLines()),
    agents,
  };
}

/** Only where the place changes. */
function packed(places: Iterable<readonly [line: number, place: Place]>): readonly number[] {
  const lines: number[] = [];
  let next = 1;
  let last = nowhere;
  const add = (line: number, place: Place): void => {
    if (place.turn !== last.turn || place.branch !== last.branch) lines.push(line, place.turn ?? 0, place.branch ?? 0);
    last = place;
  };
  for (const [line, place] of places) {
    if (line > next) add(next, nowhere);
    add(line, place);
    next = line + 1;
  }
  add(next, nowhere);
  return lines;
}

const nowhere: Place = { turn: undefined, branch: undefined };

class Places {
  readonly #database: Database;
  readonly #session: Session;
  /** By the index of the node. */
  readonly #shown: (Place | undefined)[];
  /** Of each line its first record, and the first that is not a sub-agent's. */
  readonly #firstOfLine = new Map<number, Node>();
  readonly #mainOfLine = new Map<number, Node>();
  readonly #byUuid = new Map<string, Node>();
  readonly #byMessage = new Map<string, Node>();
  readonly #callLines = new Map<string, number>();
  readonly #agentOfLine = new Map<number, AgentSource>();
  /** By the index of a node: the turn of the active branch that had begun. */
  readonly #turnBefore: Int32Array;

  constructor(database: Database, session: Session) {
    this.#database = database;
    this.#session = session;
    const { nodes } = session.transcript;
    this.#shown = new Array(nodes.length).fill(undefined);
    this.#turnBefore = new Int32Array(nodes.length);
    this.#readTurns();
    for (const node of nodes) {
      if (!this.#firstOfLine.has(node.line)) this.#firstOfLine.set(node.line, node);
      if (!node.isSidechain && !this.#mainOfLine.has(node.line)) this.#mainOfLine.set(node.line, node);
      for (const { id } of callsOf(node)) if (!this.#callLines.has(id)) this.#callLines.set(id, node.line);
      if (this.#shown[node.index] === undefined) continue;
      const { uuid, message } = node;
      if (uuid !== undefined && !this.#byUuid.has(uuid)) this.#byUuid.set(uuid, node);
      if (message?.id !== undefined && !this.#byMessage.has(message.id)) this.#byMessage.set(message.id, node);
    }
    for (const agent of session.agents)
      for (const { line } of agent.nodes) if (!this.#agentOfLine.has(line)) this.#agentOfLine.set(line, agent);
  }

  #readTurns(): void {
    for (const [i, branch] of this.#session.branches.entries()) {
      const turns = turnsOf(this.#session, branch);
      for (const { index: turn, nodes } of turns) {
        const place = { turn, branch: i === 0 ? undefined : i + 1 };
        for (const node of nodes) this.#shown[node.index] ??= place;
        if (i === 0) this.#turnBefore[nodes[0]?.index ?? 0] = turn;
      }
      if (i === 0) this.#fillTurnBefore(turns[0]?.index ?? 0);
    }
  }

  /** The last turn that begins at a node or before it, else the first. */
  #fillTurnBefore(first: number): void {
    let latest = 0;
    for (let i = 0; i < this.#turnBefore.length; i++) {
      latest = Math.max(latest, this.#turnBefore[i] as number);
      this.#turnBefore[i] = latest || first;
    }
  }

  *ofLines(): Generator<readonly [line: number, place: Place]> {
    const lines = [...this.#firstOfLine].sort(([a], [b]) => a - b);
    for (const [line, node] of lines) yield [line, this.#placeOfLine(line, node)];
  }

  /** A sub-agent's lines are shown under the call that started it, which may itself be another sub-agent's. */
  placeOfAgentFile(file: string): Place {
    const { path } = this.#session.transcript;
    let at = { path: file, line: 0 };
    for (const seen = new Set<string>(); at.path !== path; ) {
      if (seen.has(at.path)) return nowhere;
      seen.add(at.path);
      const call = this.#callOf(this.#session.agents.find((each) => each.path === at.path));
      if (call === undefined) return nowhere;
      at = call;
    }
    const node = this.#firstOfLine.get(at.line);
    return node === undefined ? nowhere : this.#placeOfLine(at.line, node);
  }

  #placeOfLine(line: number, node: Node): Place {
    if (titleTypes.has(node.type)) return nowhere;
    const shown = this.#shown[node.index];
    if (shown !== undefined) return shown;
    const agent = this.#agentOfLine.get(line);
    if (agent !== undefined) return this.#placeOfCall(this.#callOf(agent)?.line);
    return this.#placeOfTwin(node) ?? { turn: this.#turnBefore[node.index] || undefined, branch: undefined };
  }

  #placeOfCall(line: number | undefined): Place {
    const start = line === undefined ? undefined : this.#mainOfLine.get(line);
    return (start === undefined ? undefined : this.#shown[start.index]) ?? nowhere;
  }

  /** A copy of a line, or another line of a message: where the first of them that is shown is. */
  #placeOfTwin({ uuid, message }: Node): Place | undefined {
    const same = uuid === undefined ? undefined : this.#byUuid.get(uuid);
    const sibling = message?.id === undefined ? undefined : this.#byMessage.get(message.id);
    const twin = same === undefined || (sibling !== undefined && sibling.index < same.index) ? sibling : same;
    return twin === undefined ? undefined : this.#shown[twin.index];
  }

  #callOf(agent: AgentSource | undefined): { path: string; line: number } | undefined {
    const id = agent?.toolUseId;
    if (id === undefined) return undefined;
    const own = this.#callLines.get(id);
    if (own !== undefined) return { path: this.#session.transcript.path, line: own };
    const row = this.#database
      .prepare('SELECT f.path, c.line FROM tool_calls c JOIN files f ON f.id = c.file WHERE c.tool_use_id = ?')
      .all(id)
      .find((each) => this.#session.agents.some((other) => other.path === each.path && other !== agent));
    return row === undefined ? undefined : { path: String(row.path), line: Number(row.line) };
  }
}

const titleTypes: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'summary']);
