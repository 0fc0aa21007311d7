// The images that a resume sends from an attachment: those of a prompt typed while the agent worked, and an image file
// that the prompt names. (RESUME rule R6.)
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';

/** The images of an attachment line as blocks of a user message; empty if the session holds the text that was sent. */
export function noteImages(entry: JsonObject): readonly JsonObject[] {
  if (entry.type !== 'attachment' || isArray(entry.rendered)) return [];
  const note = asObject(entry.attachment) ?? {};
  if (note.type === 'queued_command') return isArray(note.prompt) ? note.prompt.filter(isObject).filter(isImage) : [];
  const file = note.type === 'file' ? imageFile(note) : undefined;
  return file === undefined ? [] : [fileImage(file)];
}

/** The attachment with each image replaced; the same object if nothing was replaced. */
export function replaceNoteImages(note: JsonObject, replace: (image: JsonObject) => JsonObject): JsonObject {
  if (note.type === 'queued_command' && isArray(note.prompt)) {
    const prompt = note.prompt.map((block) => (isObject(block) && isImage(block) ? replace(block) : block));
    return prompt.some((block, i) => block !== (note.prompt as readonly unknown[])[i]) ? { ...note, prompt } : note;
  }
  const file = note.type === 'file' ? imageFile(note) : undefined;
  if (file === undefined) return note;
  const image = fileImage(file);
  const made = replace(image);
  if (made === image) return note;
  const filePath = asString(note.filename) ?? '';
  const text = asString(made.text) ?? '';
  return {
    ...note,
    content: { type: 'text', file: { filePath, content: text, numLines: 1, startLine: 1, totalLines: 1 } },
  };
}

function isImage({ type }: JsonObject): boolean {
  return type === 'image';
}

function imageFile(note: JsonObject): JsonObject | undefined {
  const content = asObject(note.content);
  return content?.type === 'image' ? asObject(content.file) : undefined;
}

function fileImage(file: JsonObject): JsonObject {
  return { type: 'image', source: { type: 'base64', data: file.base64 ?? '', media_type: file.type ?? 'image/png' } };
}
