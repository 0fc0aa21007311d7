// A session that somebody else may have made → what must not come along. The client sends a stored system prompt and stored
// tools word for word, so a foreign session could instruct the agent with the authority of the system.
import type { Edit } from '../format/edit.ts';
import type { Node } from '../session/node.ts';
import { makeSession, type Session } from '../session/session.ts';
import { relink } from './relink.ts';
import type { Source, SourceFile } from './source.ts';

export interface ForeignLines {
  readonly edits: ReadonlyMap<number, readonly Edit[]>;
  readonly drops: ReadonlyMap<number, string>;
}

const reason = 'part of the system prompt, the tools or the requests of a foreign session';

/** Snapshots of the system prompt and of tools, copies of requests, and what Clew's own agent keeps for its requests. */
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

/** For each transcript with such lines, what goes and how the rest hangs together then. */
export function withoutForeignPrompt(source: Source): ReadonlyMap<string, ForeignLines> {
  const found = new Map<string, ForeignLines>();
  for (const file of source.files) {
    const { transcript } = file;
    const own = transcript?.nodes.filter(isForeignPrompt) ?? [];
    if (transcript === undefined || own.length === 0) continue;
    const drops = new Map(own.map((node) => [node.index, reason]));
    const relinked = relink(sessionOf(source, file), drops);
    for (const [index, why] of relinked.drops) drops.set(index, why);
    found.set(transcript.path, { edits: relinked.edits, drops });
  }
  return found;
}

function sessionOf({ session, files }: Source, file: SourceFile): Session {
  if (file === files[0] || file.transcript === undefined) return session;
  return makeSession({ ...session.files, main: file.path, agents: [], flatAgents: [] }, file.transcript);
}

/** What the user is told. */
export function foreignNotes(lines: ReadonlyMap<string, ForeignLines>): readonly string[] {
  const count = [...lines.values()].reduce((sum, { drops }) => sum + drops.size, 0);
  if (count === 0) return [];
  const what = count === 1 ? '1 line' : `${count} lines`;
  return [
    `left out: ${what} with the system prompt, tools and requests of whoever made it; Claude Code builds its own (--keep-prompt keeps them)`,
  ];
}
