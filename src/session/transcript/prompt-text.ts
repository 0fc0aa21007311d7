// What the user said in a prompt: without the reminders and editor notes that the client attached, and a
// slash command as it was typed.
import { type Block, isText } from '../../format/entry/index.ts';

/** Returns the text of a prompt, without what the client added to it. */
export function promptText(blocks: readonly Block[]): string {
  return spokenText(blocks.filter(isText).map((block) => block.text));
}

/** The same for texts of blocks that were already read. */
export function spokenText(texts: readonly string[]): string {
  const said = texts.filter((text) => !text.startsWith('<system-reminder>'));
  const own = said.filter((text) => !/^<ide_(selection|opened_file)>/.test(text));
  return commandLine((own.length > 0 ? own : said).join('\n'));
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
