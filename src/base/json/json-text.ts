// A value of a transcript → JSON text that is safe to print at any depth: JSON.parse reads any depth, but JSON.stringify
// overflows the stack at a few thousand levels.
import { isArray, isObject, type JsonValue } from './json.ts';

export function jsonText(value: unknown, indent?: number): string {
  try {
    return printable(JSON.stringify(value, null, indent));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return printable(deepText(value as JsonValue));
  }
}

/** Indented, unless the value is so deep that most of the text would be indentation. */
export function prettyJson(value: JsonValue): string {
  return jsonText(value, isDeep(value) ? undefined : 2);
}

/** JSON escapes only ASCII controls. Other control characters occur only in strings, so they can be escaped too. */
function printable(json: string): string {
  return json.replace(/[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const maxPrettyDepth = 40;

function isDeep(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= maxPrettyDepth; depth++) {
    level = level.flatMap((each) => childrenOf(each));
    if (level.length === 0) return false;
  }
  return true;
}

function childrenOf(value: JsonValue): JsonValue[] {
  if (isArray(value)) return [...value];
  return isObject(value) ? Object.values(value).flatMap((child) => (child === undefined ? [] : [child])) : [];
}

/** A text to print, or a value to convert. */
type Task = { readonly text: string } | { readonly value: JsonValue };

function deepText(root: JsonValue): string {
  const parts: string[] = [];
  const tasks: Task[] = [{ value: root }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ('text' in task) parts.push(task.text);
    else if (isArray(task.value))
      pushAll(
        tasks,
        '[',
        ']',
        task.value.map((value) => ({ key: '', value })),
      );
    else if (isObject(task.value)) pushAll(tasks, '{', '}', members(task.value));
    else parts.push(JSON.stringify(task.value));
  }
  return parts.join('');
}

interface Member {
  readonly key: string;
  readonly value: JsonValue;
}

function members(value: Readonly<Record<string, JsonValue | undefined>>): Member[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : [{ key: `${JSON.stringify(key)}:`, value: inner }],
  );
}

/** Backwards, because the last task is done first. */
function pushAll(tasks: Task[], open: string, close: string, inner: readonly Member[]): void {
  tasks.push({ text: close });
  for (let i = inner.length - 1; i >= 0; i--) {
    const { key, value } = inner[i] as Member; // i is in range
    tasks.push({ value }, { text: `${i === 0 ? '' : ','}${key}` });
  }
  tasks.push({ text: open });
}

/** ISO 8601 in UTC for JSON output, or null for an unknown time. */
export function isoDate(timeMs: number): string | null {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
