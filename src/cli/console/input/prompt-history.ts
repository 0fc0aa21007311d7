// The prompts of earlier chats, stored in Clew's state folder. A history that cannot be read or written does not stop
// the chat.
import { appendFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync } from '../../../base/files/make-folder.ts';
import { readRegularText } from '../../../base/files/regular-file.ts';
import { asObject, parseJson } from '../../../base/json/json.ts';
import { privateFileMode } from '../../../store/disk.ts';
import { stateFolder } from '../../../store/roots.ts';
import { maxHistory } from './editor.ts';

const maxBytes = 1024 * 1024;
const longestPrompt = 20_000;

export function historyFile(env: NodeJS.ProcessEnv): string {
  return path.join(stateFolder(env), 'chat-history.jsonl');
}

/** The last prompts, oldest first. */
export async function readHistory(file: string): Promise<readonly string[]> {
  try {
    if ((await stat(file)).size > 2 * maxBytes) await shorten(file);
    return promptsIn(readRegularText(file)).slice(-maxHistory);
  } catch {
    return [];
  }
}

export async function appendHistory(file: string, prompt: string): Promise<void> {
  if (prompt.length > longestPrompt) return;
  try {
    makeFolderSync(path.dirname(file), 0o777);
    await appendFile(file, `${JSON.stringify({ prompt })}\n`, { mode: privateFileMode });
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

function promptsIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const prompt = asObject(parseJson(line))?.prompt;
    return typeof prompt === 'string' && prompt !== '' ? [prompt] : [];
  });
}
