// A line → a short key of what it says, equal for two lines with the same content.
import { createHash } from 'node:crypto';
import { asObject, type JsonObject } from '../../base/json/json.ts';

export function contentKey(entry: JsonObject): string {
  const content = asObject(entry.message)?.content ?? entry.content ?? null;
  return createHash('sha256').update(JSON.stringify(content)).digest('base64');
}
