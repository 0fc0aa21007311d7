// The strings of a record that are not searched for secrets: ids and signatures, which are random but not secret and needed
// by a resume, and the data of images.
import { asObject, asString, isArray, type JsonValue } from '../../base/json/json.ts';

type Path = readonly (string | number)[];

/** `signed`: the elements of `message.content` that are thinking with a signature. */
export function isKeptValue(path: Path, signed: ReadonlySet<number>): boolean {
  const [first, second, third, fourth] = path;
  if (path.length === 1) return typeof first === 'string' && idFields.has(first);
  if (first !== 'message') return false;
  if (path.length === 2) return typeof second === 'string' && messageFields.has(second);
  if (second !== 'content' || typeof third !== 'number') return false;
  if (fourth === 'thinking' && path.length === 4) return signed.has(third);
  // A result has its own blocks.
  const isInner = fourth === 'content' && typeof path[4] === 'number';
  const field = path.slice(isInner ? 5 : 3);
  if (field.length === 2) return field[0] === 'source' && (field[1] === 'type' || field[1] === 'media_type');
  return field.length === 1 && blockFields.has(String(field[0]));
}

/** An image or document in base64; matches in it would not be secrets. */
export function isMediaData(text: string): boolean {
  return text.length >= 64 && mediaStart.test(text) && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** The name of a tool: in a call, a result or an attachment. */
export function isToolName(path: Path): boolean {
  const last = path.at(-1);
  if (typeof last === 'number') return /^(?:added|removed|readded)Names$/.test(String(path.at(-2)));
  if (last === 'name') return typeof path.at(-2) === 'number' && path.at(-3) === 'content';
  return last === 'toolName' || last === 'tool_name';
}

/** Only in messages: copies in bookkeeping are never sent, so they may be altered. */
export function signedThinking(value: JsonValue): ReadonlySet<number> {
  const entry = asObject(value);
  const content = entry?.type === 'assistant' ? asObject(entry.message)?.content : undefined;
  if (!isArray(content)) return none;
  return new Set(
    content.flatMap((item, i) => {
      const block = asObject(item);
      const isSigned = block?.type === 'thinking' && (asString(block.signature) ?? '') !== '';
      return isSigned ? [i] : [];
    }),
  );
}

const none: ReadonlySet<number> = new Set();

/** png, jpeg, gif, webp, pdf. */
const mediaStart = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0)/;

const idFields: ReadonlySet<string> = new Set([
  'type',
  'subtype',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'leafUuid',
  'messageId',
  'snapshotMessageId',
  'sessionId',
  'session_id',
  'promptId',
  'requestId',
  'agentId',
  'toolUseID',
  'parentToolUseID',
  'sourceToolUseID',
  'sourceToolAssistantUUID',
  'timestamp',
  'version',
  'userType',
]);

const messageFields: ReadonlySet<string> = new Set(['id', 'type', 'role', 'model', 'stop_reason']);
const blockFields: ReadonlySet<string> = new Set(['type', 'id', 'tool_use_id', 'signature', 'data']);
