// A branch → its turns in parts of a few dozen lines: what the page loads, draws and drops together. Most turns are one
// part; an agent that worked for hours on one prompt is hundreds.
import type { Branch, Session } from '../../session/load/index.ts';
import { turnsIn } from '../../session/story/index.ts';
import { callsOf, type Node } from '../../session/transcript/index.ts';
import { type Turn, turnsOf } from '../../session/turns/index.ts';
import type { BranchRow } from '../wire/index.ts';
import { timeOf } from './text.ts';

export const linesPerPart = 30;

export interface Part {
  readonly turn: Turn;
  /** Its place among all parts of the branch, from 0. */
  readonly index: number;
  /** Its lines, as a range of `turn.nodes`. */
  readonly from: number;
  readonly to: number;
}

export interface Parts {
  readonly turns: readonly Turn[];
  readonly all: readonly Part[];
  /** The number of the first part of each turn, by its place in `turns`. */
  readonly firstOf: readonly number[];
  /** The part that shows a record: its own line, or the call that it answers. */
  partOf(record: number): number | undefined;
}

export const noParts: Parts = { turns: [], all: [], firstOf: [], partOf: () => undefined };

/** Cached for each branch: every range of the page needs it. */
export function partsOf(session: Session, branch: Branch | undefined): Parts {
  if (branch === undefined) return noParts;
  const known = remembered.get(branch);
  if (known !== undefined) return known;
  const made = makeParts(turnsOf(session, branch));
  remembered.set(branch, made);
  return made;
}

const remembered = new WeakMap<Branch, Parts>();

function makeParts(turns: readonly Turn[]): Parts {
  const all: Part[] = [];
  const firstOf: number[] = [];
  for (const turn of turns) {
    firstOf.push(all.length);
    for (let from = 0; from === 0 || from < turn.nodes.length; from += linesPerPart) {
      all.push({ turn, index: all.length, from, to: Math.min(from + linesPerPart, turn.nodes.length) });
    }
  }
  let byRecord: ReadonlyMap<number, number> | undefined;
  return {
    turns,
    all,
    firstOf,
    partOf: (record) => {
      byRecord ??= indexRecords(all);
      return byRecord.get(record);
    },
  };
}

function indexRecords(all: readonly Part[]): ReadonlyMap<number, number> {
  const byRecord = new Map<number, number>();
  for (const part of all) for (const node of nodesOf(part)) byRecord.set(node.index, part.index);
  return byRecord;
}

export function nodesOf({ turn, from, to }: Part): readonly Node[] {
  return turn.nodes.slice(from, to);
}

export function branchNumbered(session: Session, number: number): Branch | undefined {
  return session.branches[number - 1];
}

export function branchRows(session: Session): readonly BranchRow[] {
  return session.branches.map((branch, i) => ({
    number: i + 1,
    active: branch.active,
    leafUuid: branch.leaf.uuid ?? null,
    forkLine: branch.fork?.line ?? null,
    lines: branch.nodes.length,
    turns: turnsIn(session, branch),
    endedAt: timeOf(branch.leaf.time),
    isReplay: branch.isReplay,
  }));
}

/** Branch and turn from 1, the part from 0. */
export interface LinePlace {
  readonly branch: number;
  readonly turn: number;
  readonly part: number;
}

/** The branch and the part that show a line of the file, the active branch before the others. */
export function findLine(session: Session, line: number): LinePlace | undefined {
  const records = session.transcript.nodes.filter((node) => node.line === line).map((node) => node.index);
  for (const [i, branch] of session.branches.entries()) {
    const { all, partOf } = partsOf(session, branch);
    for (const record of records) {
      const part = partOf(record);
      if (part !== undefined) return { branch: i + 1, part, turn: all[part]?.turn.index ?? 1 };
    }
  }
  return undefined;
}

/** A line that no branch shows leads to the beginning of the active one. */
export function placeOfLine(session: Session, line: number): { readonly branch: number; readonly part: number | null } {
  const found = findLine(session, line);
  return { branch: found?.branch ?? 1, part: found?.part ?? null };
}

/** The place of the call that started a sub-agent. */
export function placeOfAgent(
  session: Session,
  agentId: string,
): { readonly line: number; readonly branch: number; readonly part: number | null } | null {
  const toolUseId = session.agents.find((each) => each.agentId === agentId)?.toolUseId;
  const isCall = (node: Node): boolean => callsOf(node).some((call) => call.id === toolUseId);
  const node = toolUseId === undefined ? undefined : session.transcript.nodes.find(isCall);
  return node === undefined ? null : { line: node.line, ...placeOfLine(session, node.line) };
}
