// A line of a transcript → the branch and turn under which `clew show` shows it. The session is loaded for it, so this
// is only for hits that are printed.
import { existsSync, statSync } from 'node:fs';
import { largeFileBytes } from '../../base/process/index.ts';
import { forkedFromOf, tagOf, titleOf } from '../../session/facts/index.ts';
import { type AgentSource, type Branch, loadSession, type Session } from '../../session/load/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import type { Database } from '../index/index.ts';

export interface Place {
  /** As `clew show --turn` takes it; `undefined` for a line that belongs to no turn, such as a title. */
  readonly turn: number | undefined;
  /** As `clew show --branch` takes it; `undefined` for the active one. */
  readonly branch: number | undefined;
}

export interface SessionPlaces {
  /** What `clew show` opens: the main transcript, or the sub-agent's own where that is gone. */
  readonly path: string;
  readonly title: string | undefined;
  readonly tag: string | undefined;
  readonly forkedFrom: string | undefined;
  placeOf(file: string, line: number): Place;
}

/** `main` is the session's main transcript, `file` one with a hit. `undefined`: neither can be loaded. */
export async function openPlaces(database: Database, main: string, file: string): Promise<SessionPlaces | undefined> {
  const path = existsSync(main) ? main : file;
  try {
    const isLarge = statSync(path).size > largeFileBytes;
    return new Places(database, await loadSession(path, { strict: !isLarge }));
  } catch {
    return undefined; // gone or unreadable by now: the hit is shown without its place
  }
}

const nowhere: Place = { turn: undefined, branch: undefined };

class Places implements SessionPlaces {
  readonly path: string;
  readonly #database: Database;
  readonly #session: Session;
  readonly #turns = new Map<Branch, readonly Turn[]>();

  constructor(database: Database, session: Session) {
    this.#database = database;
    this.#session = session;
    this.path = session.transcript.path;
  }

  get title(): string | undefined {
    return titleOf(this.#session);
  }

  get tag(): string | undefined {
    return tagOf(this.#session);
  }

  get forkedFrom(): string | undefined {
    return forkedFromOf(this.#session);
  }

  placeOf(file: string, line: number): Place {
    let at = { path: file, line };
    // A sub-agent's lines are shown under the call that started it, which may itself be another sub-agent's.
    for (const seen = new Set<string>(); at.path !== this.path; ) {
      if (seen.has(at.path)) return nowhere;
      seen.add(at.path);
      const agent = this.#session.agents.find((each) => each.path === at.path);
      const call = this.#callOf(agent);
      if (call === undefined) return nowhere;
      at = call;
    }
    return this.#placeOfLine(at.line);
  }

  #placeOfLine(line: number): Place {
    const { nodes } = this.#session.transcript;
    const node = nodes.find((each) => each.line === line);
    if (node === undefined || titleTypes.has(node.type)) return nowhere;
    const found = this.#placeOfNode(node);
    if (found !== undefined) return found;
    const agent = this.#session.agents.find((each) => each.nodes.some((own) => own.line === line));
    if (agent !== undefined) {
      const call = this.#callOf(agent);
      const start = nodes.find((each) => each.line === call?.line && !each.isSidechain);
      return (start === undefined ? undefined : this.#placeOfNode(start)) ?? nowhere;
    }
    // A copy of a line, or another line of a message: where the shown line is.
    const twin = nodes.find((each) => each !== node && isTwin(each, node) && this.#placeOfNode(each) !== undefined);
    return (twin === undefined ? undefined : this.#placeOfNode(twin)) ?? this.#placeBefore(node);
  }

  #placeOfNode(node: Node): Place | undefined {
    const { branches } = this.#session;
    for (const [i, branch] of branches.entries()) {
      if (!holds(branch, node)) continue;
      const turn = this.#turnsOf(branch).find((each) => each.nodes.includes(node));
      if (turn !== undefined) return { turn: turn.index, branch: i === 0 ? undefined : i + 1 };
    }
    return undefined;
  }

  /** Lines outside the conversation, such as a queued prompt: the turn of the active branch that ran at that time. */
  #placeBefore(node: Node): Place {
    const [active] = this.#session.branches;
    const turns = active === undefined ? [] : this.#turnsOf(active);
    const turn = turns.findLast((each) => (each.nodes[0]?.index ?? 0) <= node.index) ?? turns[0];
    return { turn: turn?.index, branch: undefined };
  }

  #turnsOf(branch: Branch): readonly Turn[] {
    const known = this.#turns.get(branch) ?? turnsOf(this.#session, branch);
    this.#turns.set(branch, known);
    return known;
  }

  #callOf(agent: AgentSource | undefined): { path: string; line: number } | undefined {
    const id = agent?.toolUseId;
    if (id === undefined) return undefined;
    const own = this.#session.transcript.nodes.find((node) => callsOf(node).some((call) => call.id === id));
    if (own !== undefined) return { path: this.path, line: own.line };
    const row = this.#database
      .prepare('SELECT f.path, c.line FROM tool_calls c JOIN files f ON f.id = c.file WHERE c.tool_use_id = ?')
      .all(id)
      .find((each) => this.#session.agents.some((other) => other.path === each.path && other !== agent));
    return row === undefined ? undefined : { path: String(row.path), line: Number(row.line) };
  }
}

const titleTypes: ReadonlySet<string> = new Set(['custom-title', 'ai-title', 'summary']);

function holds(branch: Branch, node: Node): boolean {
  if (branch.nodes.includes(node)) return true;
  for (const lines of branch.sideLines.values()) if (lines.includes(node)) return true;
  return false;
}

function isTwin(a: Node, b: Node): boolean {
  if (a.uuid !== undefined && a.uuid === b.uuid) return true;
  return a.message?.id !== undefined && a.message.id === b.message?.id;
}
