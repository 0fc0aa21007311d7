// Removes the stored system prompt, tools and requests from a session of another user: the client sends them verbatim, so
// they could instruct the agent with the authority of the system.
import type { Edit } from '../../format/bytes/edit.ts';
import type { Node } from '../../session/transcript/node.ts';
import { relinkInto } from '../engine/relink.ts';
import { type Source, sessionOf } from '../engine/source.ts';

export interface ForeignLines {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
}

const reason = 'part of the system prompt, the tools or the requests of a foreign session';

/** Snapshots of the system prompt and tools, copies of requests, and records of Clew's own agent. */
export function isForeignPrompt({ type, subtype }: Pick<Node, 'type' | 'subtype'>): boolean {
  if (type === 'attachment') return subtype === 'prompt_snapshot' || subtype === 'deferred_tools_record';
  return foreignTypes.has(type);
}

const foreignTypes: ReadonlySet<string> = new Set([
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'clew-prompt',
  'clew-thinking',
]);

/** By transcript: the lines to drop, and the edits that relink the rest. */
export function withoutForeignPrompt(source: Source): ReadonlyMap<string, ForeignLines> {
  const found = new Map<string, ForeignLines>();
  for (const file of source.files) {
    const { transcript } = file;
    const own = transcript?.nodes.filter(isForeignPrompt) ?? [];
    if (transcript === undefined || own.length === 0) continue;
    const drops = new Map(own.map((node) => [node.index, reason]));
    const edits = new Map<number, readonly Edit[]>();
    relinkInto(sessionOf(source, file), edits, drops);
    found.set(transcript.path, { edits, drops });
  }
  return found;
}

export function foreignNotes(lines: ReadonlyMap<string, ForeignLines>): readonly string[] {
  const count = [...lines.values()].reduce((sum, { drops }) => sum + drops.size, 0);
  if (count === 0) return [];
  const what = count === 1 ? '1 line' : `${count} lines`;
  return [
    `left out: ${what} with the system prompt, tools and requests of the session; Claude Code creates its own (--keep-prompt keeps them)`,
  ];
}
