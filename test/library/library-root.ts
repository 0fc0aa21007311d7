// Roots for tests of the library: a few sessions of our own words, or links to the transcripts of a corpus.
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { writeTree } from '../support/temp-folder.ts';

const sentences = [
  'The keeper lights the lamp before dusk and writes the hour into the log. ',
  'Nothing in the table says why the second column is wider than the first. ',
  'Run the tests again, then look at the one that fails "only sometimes". ',
  '灯台の光は霧の日にこそ役に立つ。',
];

/** Sessions of some hundred kilobytes, each different. */
export function writeSessions(root: string, count: number, turns: number): void {
  for (let session = 0; session < count; session++) {
    writeTree(root, { [`projects/-home-ada-${session % 3}/session-${session}.jsonl`]: sessionOf(session, turns) });
  }
}

export function sessionOf(session: number, turns: number): string {
  const lines = Array.from({ length: turns }, (_, turn) => [
    user(`question ${turn} of session ${session}: ${sentences[turn % 4]}`),
    assistant([toolUse(`t${turn}`, turn % 2 === 0 ? 'Read' : 'Bash', { file_path: `/home/ada/src/part-${turn}.ts` })]),
    user([toolResult(`t${turn}`, `const part${turn} = ${session};\n${sentences.join('').repeat(8)}`)]),
    assistant(`answer ${turn}: ${sentences[(turn + session) % 4]?.repeat(3)}`),
  ]);
  return sessionText(lines.flat(), {
    sessionId: `session-${session}`,
    cwd: `/home/ada/${session % 3}`,
    startMinute: session,
  });
}

/** Each file in a project folder of its own, so that no two are called the same. */
export function linkTranscripts(root: string, files: readonly string[]): void {
  for (const [i, file] of files.entries()) {
    const folder = path.join(root, 'projects', `p${i}`);
    mkdirSync(folder, { recursive: true });
    symlinkSync(file, path.join(folder, path.basename(file)));
  }
}
