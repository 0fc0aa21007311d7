// Finds the session that a transcript continues, for which no Stop was fired: the first line has another session's id
// (seed 002, §10), or the first prompt is a plan that names its transcript (2.1.45, leaving plan mode with "clear context").
import { statSync } from 'node:fs';
import path from 'node:path';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../base/json/json.ts';
import { readEdge } from '../state/durable.ts';

export interface PreviousSession {
  readonly sessionId: string;
  readonly file: string;
}

const mostBytes = 256 * 1024;
const mostLines = 20;

export function findPreviousSession(file: string, sessionId: string): PreviousSession | undefined {
  const entries = firstEntries(file);
  const ids = [asString(entries[0]?.sessionId), ...entries.map(planSource)];
  for (const id of ids) {
    // Only a file in the same folder is opened, whatever path a transcript names.
    if (id === undefined || id === sessionId || !/^[\w-]{1,100}$/.test(id)) continue;
    const previous = path.join(path.dirname(file), `${id}.jsonl`);
    if (statSync(previous, { throwIfNoEntry: false })?.isFile() === true) return { sessionId: id, file: previous };
  }
  return undefined;
}

function planSource(entry: JsonObject): string | undefined {
  if (entry.type !== 'user' || typeof entry.planContent !== 'string') return undefined;
  const named = /read the full transcript at: (\S.*?\.jsonl)/.exec(promptTextOf(asObject(entry.message)))?.[1];
  return named === undefined ? undefined : path.basename(named, '.jsonl');
}

function promptTextOf(message: JsonObject | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!isArray(content)) return '';
  return content.map((block) => (isObject(block) ? (asString(block.text) ?? '') : '')).join('\n');
}

function firstEntries(file: string): readonly JsonObject[] {
  const lines = readEdge(file, 'start', mostBytes)?.text.split('\n').slice(0, mostLines) ?? [];
  return lines.map((line) => parseJson(line)).filter(isObject);
}
