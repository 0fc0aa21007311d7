// A record without its transcript, as it comes from a file that is being written → a session of this one line, so that
// what renders sessions renders it too.
import type { JsonObject } from '../base/json.ts';
import type { Block } from '../format/block.ts';
import { asEntry, contentOf } from '../format/entry.ts';
import type { NewRecord } from '../library/follow.ts';
import { Node, SharedValues } from '../session/node.ts';
import { makeSession, type Session } from '../session/session.ts';
import type { SessionFiles } from '../store/session-files.ts';

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

/** The id of the session it belongs to: by the file's place, else by what the line says. */
export function sessionIdOf({ place, head }: NewRecord): string {
  const name = place.mainPath
    ?.split(/[/\\]/)
    .at(-1)
    ?.replace(/\.jsonl$/, '');
  return name ?? head.sessionId ?? '';
}

/** The sub-agent that speaks, where one does. */
export function agentIdOf({ place, head }: NewRecord): string | undefined {
  return place.agentId ?? (head.isSidechain ? (head.agentId ?? 'inline') : undefined);
}

const shared = new SharedValues();
/** A call is shown with its result, which stands in another record. */
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
