// The text and blocks of a full entry.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** The content blocks of an entry: of its message, else (seed 002's form) of the entry itself. */
export function blocksOf(entry: JsonObject): readonly JsonObject[] {
  const message = asObject(entry.message);
  const content = message === undefined ? entry.content : message.content;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return isArray(content) ? content.filter(isObject) : [];
}

/** All text in a content value: a string, or the text blocks of an array. */
export function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!isArray(content)) return '';
  return content
    .flatMap((block) => (isObject(block) && block.type === 'text' ? (asString(block.text) ?? []) : []))
    .join('\n');
}

/** What a person said in an entry: its texts without the reminders that were put beside them. */
export function promptText(entry: JsonObject): string {
  const texts = blocksOf(entry).flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : []));
  const said = texts.filter((text) => !text.startsWith('<system-reminder>'));
  const own = said.filter((text) => !/^<ide_(selection|opened_file)>/.test(text));
  return commandLine((own.length > 0 ? own : said).join('\n'));
}

/** `/name args` for the tags that a slash command is stored as; any other text as it is. */
export function commandLine(text: string): string {
  if (!/^<command-(name|message)>/.test(text)) return text;
  const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
  if (name === undefined) return text;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim() ?? '';
  return `${name.startsWith('/') ? name : `/${name}`}${args === '' ? '' : ` ${args}`}`;
}
