// What the user said in a prompt: without the reminders and editor notes that the client attached, and a
// slash command as it was typed.
import { type Block, isText } from '../../format/entry/index.ts';

/** Returns the text of a prompt, without what the client added to it. */
export function promptText(blocks: readonly Block[]): string {
  return spokenText(blocks.filter(isText).map((block) => block.text));
}

/** The same for texts of blocks that were already read. */
export function spokenText(texts: readonly string[]): string {
  const said = texts.map((text) => splitPrompt(text).words).filter((words) => words !== '');
  return commandLine(said.join('\n'));
}

/** One text of a prompt, taken apart. */
export interface PromptPieces {
  readonly words: string;
  /** Whole tags, in their order: `<ide_selection>…</ide_selection>`. */
  readonly attached: readonly string[];
}

/** Editors put their context into a text of its own, or before the words of the user; reminders also follow them. */
export function splitPrompt(text: string): PromptPieces {
  const attached: string[] = [];
  let words = text;
  for (let found = leadingTag(words); found !== undefined; found = leadingTag(words)) {
    attached.push(found.tag);
    words = found.rest;
  }
  const after: string[] = [];
  for (let found = trailingTag(words); found !== undefined; found = trailingTag(words)) {
    after.unshift(found.tag);
    words = found.rest;
  }
  return { words: attached.length + after.length === 0 ? text : words, attached: [...attached, ...after] };
}

const names = '(ide_[a-z_]{1,40}|system-reminder|post-tool-use-hook)';
const openingTag = new RegExp(`^\\s*<${names}(?: [^<>\\n]{0,300})?>`);
const closingTag = new RegExp(`</${names}>\\s*$`);

interface FoundTag {
  readonly tag: string;
  readonly rest: string;
}

function leadingTag(text: string): FoundTag | undefined {
  const opened = openingTag.exec(text);
  const name = opened?.[1];
  if (opened === null || name === undefined) return undefined;
  const closing = `</${name}>`;
  const end = text.indexOf(closing, opened[0].length);
  // The client closes its tags: another text that begins with one was typed. A reminder is never typed.
  if (end < 0) return name === 'system-reminder' ? { tag: text.trim(), rest: '' } : undefined;
  const after = end + closing.length;
  return { tag: text.slice(0, after).trim(), rest: text.slice(after).trimStart() };
}

/** On lines of its own: within a line the user writes about the tag. */
function trailingTag(text: string): FoundTag | undefined {
  // The pattern would look at every `</` of a long text.
  const closed = closingTag.exec(text.slice(-200));
  const name = closed?.[1];
  const start = name === undefined ? -1 : text.lastIndexOf(`<${name}>`);
  if (start <= 0 || text[start - 1] !== '\n') return undefined;
  return { tag: text.slice(start).trim(), rest: text.slice(0, start).trimEnd() };
}

/** `/name args` for the tags that a slash command is stored as; any other text as it is. */
export function commandLine(text: string): string {
  if (!/^<command-(name|message)>/.test(text)) return text;
  const name = tagged(text, 'command-name')?.trim();
  if (name === undefined) return text;
  const args = tagged(text, 'command-args')?.trim() ?? '';
  return `${name.startsWith('/') ? name : `/${name}`}${args === '' ? '' : ` ${args}`}`;
}

/** The name of the slash command that a prompt is, without the slash; `undefined` for any other prompt. */
export function commandName(texts: readonly string[]): string | undefined {
  const text = texts.find((each) => /^<command-(name|message)>/.test(each));
  const name = text === undefined ? undefined : tagged(text, 'command-name')?.trim().replace(/^\//, '');
  return name === '' ? undefined : name;
}

function tagged(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start);
  return end < 0 ? undefined : text.slice(start + tag.length + 2, end);
}
