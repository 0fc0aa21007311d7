// One new record of a growing file → a session of that one line, so that the session renderers can print it.
import type { JsonObject } from '../../base/json/index.ts';
import { asEntry, type Block, contentOf } from '../../format/entry/index.ts';
import type { NewRecord } from '../../library/watch/index.ts';
import { makeSession, type Session } from '../../session/load/index.ts';
import { Node, SharedValues } from '../../session/transcript/index.ts';
import type { SessionFiles } from '../../store/index.ts';

export interface LooseRecord {
  readonly record: NewRecord;
  readonly node: Node;
  readonly session: Session;
  readonly blocks: readonly Block[];
}

export function looseRecord(record: NewRecord): LooseRecord {
  const { head, entry, offset, length, place } = record;
  const node = new Node(head, { index: 0, line: 1, offset, length, hidden: false }, shared, true);
  entries.set(node, entry);
  const transcript = {
    path: place.path,
    sizeBytes: length,
    nodes: [node],
    diagnostics: [],
    foreign: undefined,
    mayRepeat: false,
    read: (each: Node) => entries.get(each) ?? {},
    pick: () => transcript,
  };
  return { record, node, session: makeSession(filesOf(record), transcript), blocks: contentOf(asEntry(entry) ?? {}) };
}

/** The session's id: from the path of the file, otherwise from the line. */
export function sessionIdOf({ place, head }: NewRecord): string {
  const name = place.mainPath
    ?.split(/[/\\]/)
    .at(-1)
    ?.replace(/\.jsonl$/, '');
  return name ?? head.sessionId ?? '';
}

export function agentIdOf({ place, head }: NewRecord): string | undefined {
  return place.agentId ?? (head.isSidechain ? (head.agentId ?? 'inline') : undefined);
}

const shared = new SharedValues();
/** A call is shown with its result, which is in another record. */
const entries = new WeakMap<Node, JsonObject>();

function filesOf({ place }: NewRecord): SessionFiles {
  return {
    sessionId: '',
    main: place.path,
    folder: '',
    agents: [],
    flatAgents: [],
    journals: [],
    toolResults: [],
    problems: [],
  };
}
