// Compares two normalised requests; where they differ, says where and how in a few lines, since a whole diff of
// two sessions fills the screen and hides the one block that matters.
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../src/base/json/json.ts';
import type { NormalMessage } from '../../src/session/resume/messages/normalise.ts';

/** `undefined` where both are equal. */
export function describeDifference(
  client: readonly NormalMessage[],
  ours: readonly NormalMessage[],
): string | undefined {
  if (isDeepStrictEqual(client, ours)) return undefined;
  const index = firstDifference(client, ours);
  const [theirMessage, ourMessage] = [client[index], ours[index]];
  const counts = `the client sends ${client.length} messages, we predict ${ours.length}`;
  if (theirMessage === undefined || ourMessage === undefined || theirMessage.role !== ourMessage.role)
    return [`${counts}; they part at message ${index}`, ...sideBySide(theirMessage, ourMessage)].join('\n');

  const block = firstDifference(theirMessage.content, ourMessage.content);
  return [
    `${counts}; they part at message ${index} (${theirMessage.role}), block ${block}`,
    ...sideBySide(theirMessage.content[block], ourMessage.content[block]),
  ].join('\n');
}

function firstDifference(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index++) if (!isDeepStrictEqual(left[index], right[index])) return index;
  return length;
}

/** Both values from a little before the first character that differs. */
function sideBySide(
  client: NormalMessage | JsonValue | undefined,
  ours: NormalMessage | JsonValue | undefined,
): string[] {
  const [left, right] = [shown(client), shown(ours)];
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const start = Math.max(0, same - 60);
  return [`  client: ${excerpt(left, start)}`, `  ours:   ${excerpt(right, start)}`];
}

function shown(value: NormalMessage | JsonValue | undefined): string {
  return value === undefined ? '(nothing)' : JSON.stringify(value);
}

function excerpt(text: string, start: number): string {
  const end = start + 240;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
