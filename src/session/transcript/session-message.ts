// The text of a user line → the messages that other sessions and agents sent with it. The client writes such a message
// as input of its own: a sentence about where it is from, the message in a tag that names the sender, and advice for the
// model. Nobody typed it.

/** A message from another session or agent. */
export interface SessionMessage {
  /** The name of the sender, else its address; `undefined` if the line does not say. */
  readonly from: string | undefined;
  readonly text: string;
}

const opening = 'Another Claude session sent a message(?: while you were working)?:';
const tags = 'cross-session-message|teammate-message|agent-message|project_claude_message';
/** The user may write about a tag: the client's have attributes, or the message begins on the next line. */
const tagStart = `<(?:(?:${tags})(?:\\s+[a-z_-]+="|\\s*>\\s*\\n)|relay\\s+from=")`;
const wrapped = new RegExp(`^\\s*(?:${opening}\\s+)?${tagStart}`);
const announced = new RegExp(`^\\s*${opening}\\s`);

/** Whether a text begins as a message of another session. `isMeta`: the client marked the line as not typed. */
export function isSessionMessage(text: string, isMeta = false): boolean {
  if (!mayBeMessage.test(text)) return false;
  return wrapped.test(text) || (isMeta && announced.test(text));
}

/** The same for a line that the client shortened: a text that only begins so counts too. */
export function beginsAsSessionMessage(text: string): boolean {
  return announced.test(text) || cutTag.test(text);
}

const cutTag = new RegExp(`^\\s*<(?:${tags})\\b`);
const mayBeMessage = /^\s*(?:<|Another Claude session )/;
/** A transcript may hold any number of them in one line. */
const mostMessages = 100;

/** The messages in a text of which `isSessionMessage` says that it holds some, in their order. */
export function readSessionMessages(text: string): readonly SessionMessage[] {
  const found: SessionMessage[] = [];
  const open = new RegExp(`<(${tags}|relay)((?:\\s+[a-z_-]+="[^"]*")*)\\s*>`, 'g');
  for (let tag = open.exec(text); tag !== null && found.length < mostMessages; tag = open.exec(text)) {
    const [whole, name = '', attributes = ''] = tag;
    const start = tag.index + whole.length;
    // `<project_claude_message …><relay from="coordinator">`: the inner tag names the sender.
    if (name === 'project_claude_message' && /^\s*<relay\s/.test(text.slice(start, start + 100))) continue;
    const end = endOfTag(text, name, start);
    found.push({ from: senderOf(attributes), text: text.slice(start, end).trim() });
    open.lastIndex = end;
  }
  return found.length > 0 ? found : [{ from: undefined, text: withoutAdvice(text) }];
}

/** The client writes the closing tag on a line of its own; a message may quote one within a line. */
function endOfTag(text: string, name: string, start: number): number {
  const onItsLine = text.indexOf(`\n</${name}>`, start);
  const end = onItsLine >= 0 ? onItsLine : text.indexOf(`</${name}>`, start);
  return end < 0 ? text.length : end;
}

const senderNames = ['from-name', 'teammate_id', 'name', 'from', 'session'];

function senderOf(attributes: string): string | undefined {
  const values = new Map(
    [...attributes.matchAll(/([a-z_-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, unescaped(value)]),
  );
  return senderNames.map((name) => values.get(name)?.trim()).find((value) => value !== undefined && value !== '');
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

function unescaped(value: string): string {
  return value.replace(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity);
}

const advice = /\n\s*(?:This came from another Claude session|That ["“]other Claude session["”])[\s\S]*$/;

function withoutAdvice(text: string): string {
  return text.replace(announced, '').replace(advice, '').trim();
}
