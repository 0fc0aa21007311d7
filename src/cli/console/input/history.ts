// The prompts of earlier chats: one JSON line each in `CLEW_HOME/chat-history.jsonl`, with the project they were typed in
// and the long pastes that their placeholders name.
import { appendFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync, readRegularText } from '../../../base/files/index.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../../base/json/index.ts';
import { neutralise } from '../../../base/text/index.ts';
import { privateFileMode, stateFolder } from '../../../store/index.ts';
import { noPastes, type Pastes, placeholderFor } from './pastes.ts';

export interface HistoryEntry {
  /** As it was shown: with placeholders. */
  readonly text: string;
  readonly pastes: Pastes;
  /** The project; `undefined` for entries of earlier versions. */
  readonly cwd?: string;
}

export const maxHistory = 500;
const maxBytes = 1024 * 1024;
/** A longer entry is only in the memory of its chat. */
const longestEntry = 100_000;
/** Entries without placeholders are older than these: a long one is folded as a whole, so that Up can pass it. */
const longestShown = 5000;
const mostLinesShown = 40;

export function historyFile(env: NodeJS.ProcessEnv): string {
  return path.join(stateFolder(env), 'chat-history.jsonl');
}

/** The last prompts, oldest first. */
export async function readHistory(file: string): Promise<readonly HistoryEntry[]> {
  try {
    if ((await stat(file)).size > 2 * maxBytes) await shorten(file);
    return entriesIn(readRegularText(file)).slice(-maxHistory);
  } catch {
    return [];
  }
}

export async function appendHistory(file: string, { text, pastes, cwd }: HistoryEntry): Promise<void> {
  const line = JSON.stringify({
    prompt: text,
    ...(cwd === undefined ? {} : { cwd }),
    ...(pastes.size === 0 ? {} : { pastes: Object.fromEntries(pastes) }),
  });
  if (line.length > longestEntry) return;
  try {
    makeFolderSync(path.dirname(file), 0o777);
    await appendFile(file, `${line}\n`, { mode: privateFileMode });
  } catch {
    // the chat works without it
  }
}

async function shorten(file: string): Promise<void> {
  const { replaceFile } = await import('../../../store/replace.ts');
  const text = readRegularText(file);
  const kept = text.slice(-maxBytes);
  await replaceFile(file, Buffer.from(kept.slice(kept.indexOf('\n') + 1)));
}

function entriesIn(text: string): readonly HistoryEntry[] {
  return text.split('\n').flatMap((line) => {
    const value = asObject(parseJson(line));
    const prompt = asString(value?.prompt);
    return value === undefined || prompt === undefined || prompt === '' ? [] : [entryOf(value, prompt)];
  });
}

/** The file may contain anything, like a paste. */
function entryOf(value: JsonObject, prompt: string): HistoryEntry {
  const text = neutralise(prompt);
  const cwd = asString(value.cwd);
  const pastes = new Map(
    Object.entries(asObject(value.pastes) ?? {}).flatMap(([placeholder, pasted]) =>
      typeof pasted === 'string' ? [[neutralise(placeholder), neutralise(pasted)] as const] : [],
    ),
  );
  return { ...folded(text, pastes), ...(cwd === undefined ? {} : { cwd }) };
}

function folded(text: string, pastes: Pastes): HistoryEntry {
  if (text.length <= longestShown && text.split('\n').length <= mostLinesShown) return { text, pastes };
  const placeholder = placeholderFor(text, '', noPastes);
  return pastes.size > 0 ? { text, pastes } : { text: placeholder, pastes: new Map([[placeholder, text]]) };
}
