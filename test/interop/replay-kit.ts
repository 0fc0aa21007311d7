// A recorded session made ready to be played again in another folder, and the calls in a session, to compare the two.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { filesBelow } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

/** Where the sessions of the corpus were recorded. */
export const recordedFolder = '/home/dev/widgets';

/** The session and its sub-agents, with the scratch folder in place of the recorded one, which must not be touched. */
export function copyInto(t: TestContext, recorded: string, folder: string): string {
  const target = path.join(temporaryFolder(t), path.basename(recorded));
  cpSync(recorded, target);
  const beside = recorded.replace(/\.jsonl$/, '');
  if (existsSync(beside)) cpSync(beside, target.replace(/\.jsonl$/, ''), { recursive: true });
  for (const file of filesBelow(path.dirname(target), '.jsonl')) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(recordedFolder, folder));
  }
  return target;
}

export function callsIn(session: string): string[] {
  return filesBelow(path.dirname(session), '.jsonl').flatMap((file) => callsOf(readFileSync(file, 'utf8')));
}

/** `id name input` of every call. */
export function callsOf(text: string): string[] {
  return blocksIn(text, 'assistant').flatMap((block) =>
    block.type === 'tool_use' ? [`${block.id} ${block.name} ${JSON.stringify(block.input)}`] : [],
  );
}

export function promptOf(file: string): string {
  const [first] = blocksIn(readFileSync(file, 'utf8'), 'user').filter((block) => block.type === 'text');
  return asString(first?.text) ?? '';
}

export function blocksIn(text: string, type: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    const entry = asObject(parseJson(line));
    const content = entry?.type === type ? asObject(entry.message)?.content : undefined;
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return isArray(content) ? content.filter(isObject) : [];
  });
}
