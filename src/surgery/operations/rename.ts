// Gives a session a title or tag, like the client's /rename and the SDK: a line at the end of the transcript, and for
// titles also a side file that current clients read.
import { UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { type FileSource, type Plan, type PlannedFile, type Source, sameSession } from '../engine/index.ts';
import { lookAtResume } from '../request/index.ts';

/** Plans a new title for a session. */
export function planRename(source: Source, title: string): Plan {
  const customTitle = labelText(title, 'title');
  const { id, files } = source.session;
  const content: FileSource = { bytes: Buffer.from(JSON.stringify({ customTitle })) };
  const entry = { type: 'custom-title', customTitle, sessionId: id };
  if (files.customTitle === undefined)
    return planNote(source, 'rename', customTitle, entry, { added: [{ name: `${id}/custom-title.json`, content }] });
  return planNote(source, 'rename', customTitle, entry, { contents: new Map([[files.customTitle, content]]) });
}

/** Plans a new tag for a session. An empty tag removes the tag. */
export function planTag(source: Source, tag: string | undefined): Plan {
  const word = tag === undefined ? '' : labelText(tag, 'tag');
  const entry = { type: 'tag', tag: word, sessionId: source.session.id };
  return planNote(source, 'tag', tag === undefined ? '--remove' : word, entry, {});
}

function planNote(
  source: Source,
  operation: string,
  word: string,
  entry: JsonObject,
  files: { readonly added?: readonly PlannedFile[]; readonly contents?: ReadonlyMap<string, FileSource> },
): Plan {
  const { session } = source;
  const { transcript } = session;
  const inserts = new Map([[transcript.nodes.length - 1, [entry]]]);
  return {
    operation,
    words: [word],
    sources: [{ sessionId: session.id, path: session.files.main }],
    results: [sameSession(source, { rewrites: new Map([[transcript.path, { inserts }]]), ...files })],
    dropped: [],
    expects: (staged) =>
      lookAtResume(staged.session).digest === lookAtResume(session).digest
        ? []
        : ['resuming would send something else'],
  };
}

export function labelText(text: string, what: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') throw new UserError(`the ${what} is empty`, `write the ${what} after the session`);
  if (line.length > longest)
    throw new UserError(`the ${what} has more than ${longest} characters`, 'use a shorter one');
  return line;
}

const longest = 500;
