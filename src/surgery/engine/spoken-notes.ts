// Attachments with content that no client collects again, such as a prompt typed while the agent worked or the contents of
// an `@file`. `withSpokenNotes` shows them as user lines, so that a portable session keeps them.
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import type { Session } from '../../session/load/index.ts';
import { type NeededPart, type Node, noteImages } from '../../session/transcript/index.ts';

type Blocks = readonly JsonObject[];

export function withSpokenNotes(session: Session): Session {
  const { transcript } = session;
  const read = (node: Node, needed?: NeededPart): JsonObject => {
    const entry = transcript.read(node, needed);
    const blocks = node.type === 'attachment' ? spokenBlocks(entry) : [];
    if (blocks.length === 0) return entry;
    const { attachment: _, rendered: __, renderedRole: ___, ...rest } = entry;
    return { ...rest, type: 'user', isMeta: true, message: { role: 'user', content: blocks } };
  };
  return { ...session, transcript: { ...transcript, read } };
}

/** An attachment as blocks of a user message; empty if the client collects it again. */
function spokenBlocks({ attachment, rendered }: JsonObject): Blocks {
  const note = asObject(attachment) ?? {};
  const type = asString(note.type) ?? '';
  const wordsOf = spokenTypes[type];
  if (wordsOf === undefined) return [];
  const sent = isArray(rendered) ? rendered.flatMap((item) => renderedText(asObject(item)?.content)) : [];
  // The session may have only the text.
  const images = noteImages({ type: 'attachment', attachment: note });
  const own = wordsOf(note);
  const text = sent.length > 0 ? sent.join('\n') : own;
  return text === undefined || text.trim() === '' ? images : [{ type: 'text', text }, ...images];
}

/** Without the reminder tags, because other clients hide tagged texts. */
function renderedText(content: JsonValue | undefined): readonly string[] {
  if (typeof content !== 'string') return [];
  const text = content.replace(/^\s*<system-reminder>\n?/, '').replace(/\n?<\/system-reminder>\s*$/, '');
  return text.trim() === '' ? [] : [text];
}

type WordsOf = (note: JsonObject) => string | undefined;

function after(title: string, words: string | undefined): string | undefined {
  return words === undefined || words === '' ? undefined : `${title}\n${words}`;
}

function textIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (!isArray(value)) return undefined;
  return value.flatMap((item) => asString(item) ?? asString(asObject(item)?.text) ?? []).join('\n');
}

function named(note: JsonObject): string {
  return asString(note.filename) ?? asString(note.path) ?? asString(note.displayPath) ?? 'a file';
}

function hookTitle(note: JsonObject): string {
  return `${asString(note.hookName) ?? 'A hook'} says:`;
}

/** By type: the text of an attachment if the session does not have the client's text. */
const spokenTypes: Readonly<Record<string, WordsOf>> = {
  queued_command: (note) => after('The user sent a new message while you were working:', textIn(note.prompt)),
  file: (note) => {
    const content = asObject(note.content);
    const file = asObject(content?.file);
    if (content?.type === 'image') return undefined;
    return after(
      `Contents of ${named(note)}:`,
      asString(file?.content) ?? (file?.cells === undefined ? undefined : JSON.stringify(file.cells)),
    );
  },
  directory: (note) => after(`Contents of the directory ${named(note)}:`, textIn(note.content)),
  edited_text_file: (note) => after(`${named(note)} was changed:`, textIn(note.snippet)),
  selected_lines_in_ide: (note) => after(`The user selected these lines of ${named(note)}:`, textIn(note.content)),
  mcp_resource: (note) => after(`Resource ${asString(note.uri) ?? ''}:`, resourceText(note.content)),
  invoked_skills: () => undefined,
  hook_additional_context: (note) => after(hookTitle(note), textIn(note.content)),
  hook_blocking_error: (note) => after(hookTitle(note), asString(asObject(note.blockingError)?.blockingError)),
};

function resourceText(content: JsonValue | undefined): string | undefined {
  const contents = asObject(content)?.contents;
  return isArray(contents) ? textIn(contents) : textIn(content);
}
