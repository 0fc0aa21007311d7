// Records a new vector: takes a transcript and a name, lets the real client resume it, and writes both the transcript
// and what the client sent (or why it refused) into recordings/vectors/, or into another folder of recordings/.
//   npx tsc -p . && node build/test/interop/record.js SESSION.jsonl "what is peculiar about it" [FOLDER]
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installClient, resume, sessionFiles } from './client.ts';
import { recordings } from './recordings.ts';

const client = '2.1.325';
const [file, name, set = 'vectors'] = process.argv.slice(2);
if (file === undefined || name === undefined) {
  process.stderr.write('usage: record.js SESSION.jsonl "what is peculiar about it"; the file is named by a UUID\n');
  process.exit(2);
}

const sessionId = path.basename(file, '.jsonl');
const cli = await installClient(client);
const run = await resume({ cli, files: await sessionFiles(file), sessionId, prompt: 'next' });
if (run.sent === null && run.exitCode === null) throw new Error('the client did not end in time; nothing recorded');

const vectors = path.join(recordings, set);
await mkdir(vectors, { recursive: true });
const number = String((await readdir(vectors)).length + 1).padStart(3, '0');
const folder = path.join(vectors, `${number}-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`);
const outcome = run.sent === null ? { refused: run.stderr } : { messages: run.sent };
await mkdir(folder);
await copyFile(file, path.join(folder, path.basename(file)));
await writeFile(path.join(folder, 'expected.json'), `${JSON.stringify({ case: name, client, ...outcome }, null, 1)}\n`);
process.stdout.write(`${folder}\n`);
