// Records what other versions of the client send for the vectors: lets each version resume every vector and writes the
// results that differ from those of 2.1.325 into recordings/versions/VERSION.json.
//   npx tsc -p . && node build/test/interop/record-versions.js VERSION…
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ClientRun, installClient, resume, sessionFiles } from './client.ts';
import { type Expected, type RecordedCase, recordings, vectorCases } from './recordings.ts';

const versions = process.argv.slice(2);
if (versions.length === 0 || versions.some((version) => !/^\d+\.\d+\.\d+$/.test(version))) {
  process.stderr.write('usage: record-versions.js VERSION…, for example 2.1.300 2.1.260\n');
  process.exit(2);
}

const folder = path.join(recordings, 'versions');
await mkdir(folder, { recursive: true });
for (const version of versions) await record(version);

async function record(version: string): Promise<void> {
  const cli = await installClient(version);
  const cases = vectorCases();
  const outcomes = new Map<string, Expected>();
  const waiting = [...cases];
  const work = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      outcomes.set(each.name, await outcomeOf(cli, each));
    }
  };
  // Two at once: a client takes a core.
  await Promise.all([work(), work()]);
  const differing = cases.flatMap(({ name, expected }) => {
    const outcome = outcomes.get(name);
    return outcome === undefined || isSame(outcome, expected) ? [] : [[name, outcome] as const];
  });
  const lines = differing.map(([name, outcome]) => ` ${JSON.stringify(name)}: ${JSON.stringify(outcome)}`);
  await writeFile(path.join(folder, `${version}.json`), `{\n${lines.join(',\n')}\n}\n`);
  process.stdout.write(`${version}: ${differing.length} of ${cases.length} vectors differ from 2.1.325\n`);
}

async function outcomeOf(cli: string, { file }: RecordedCase): Promise<Expected> {
  const sessionId = path.basename(file, '.jsonl');
  const files = await sessionFiles(file);
  const tryFor = (timeoutMs: number): Promise<ClientRun> =>
    resume({ cli, files, sessionId, prompt: 'next', timeoutMs });
  // Some versions never end on some files; on a busy machine a sound run may be slow too, so a late one is tried again.
  const first = await tryFor(20_000);
  const run = first.sent === null && first.exitCode === null ? await tryFor(60_000) : first;
  if (run.sent !== null) return { messages: run.sent };
  if (run.exitCode === null) return { refused: 'the client did not end within 60 s' };
  return { refused: run.stderr.replaceAll(sessionId, '<id>') || `exit code ${run.exitCode}, no message` };
}

function isSame(outcome: Expected, expected: Expected): boolean {
  if ('refused' in outcome || 'refused' in expected) return 'refused' in outcome && 'refused' in expected;
  return isDeepStrictEqual(outcome.messages, expected.messages);
}
