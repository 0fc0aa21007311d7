// The promise of this project, tried on the real client: it sends exactly the messages we said it would.
// Runs by `npm run test:interop` only, since it installs the client from npm and takes minutes.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { isObject, parseJson } from '../../src/base/json/json.ts';
import { archiveSessions } from '../../src/library/archive/archive.ts';
import { restoreSession } from '../../src/library/archive/restore.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { startSession } from './client.ts';
import { assertPredicted, clientOf, resumeLive } from './live.ts';
import { bindingCases, corpusPublicCases, corpusRealCases, safeProfileCase, vectorCases } from './recordings.ts';
import { scenarioScripts } from './scripts.ts';

const versions = { old: '2.1.45', current: '2.1.325' } as const;

before(async () => {
  for (const version of Object.values(versions)) await clientOf(version);
});

for (const version of Object.values(versions)) {
  test(`client ${version} resumes a session in the safe profile to the messages it holds`, async () => {
    const { file, expected } = safeProfileCase();
    assert.deepEqual(await resumeLive(version, file), expected);
  });

  test(`client ${version} writes a session against the mock whose every line parses`, async () => {
    const run = await startSession({
      cli: await clientOf(version),
      prompt: 'What is this? [[thinking]]',
      workspace: { 'README.md': '# Widgets\n' },
      scripts: scenarioScripts,
    });
    assert.equal(run.exitCode, 0, run.stderr);
    const transcripts = Object.keys(run.files).filter((name) => name.endsWith('.jsonl'));
    assert.equal(transcripts.length, 1);
    const lines = run.files[transcripts[0] ?? '']?.toString().trimEnd().split('\n') ?? [];
    const entries = lines.map(parseJson);
    assert.ok(entries.every(isObject));
    assert.deepEqual(entries.flatMap(assistantBlockTypes), ['thinking', 'text', 'tool_use', 'thinking', 'text']);
  });
}

test(`client ${versions.current} resumes a session that was archived, deleted and restored`, async (context) => {
  const { file, expected } = safeProfileCase();
  const root = temporaryFolder(context);
  const folder = path.join(root, 'archive');
  const place = path.join(root, 'library/projects/-w-p', path.basename(file));
  mkdirSync(path.dirname(place), { recursive: true });
  copyFileSync(file, place);
  await archiveSessions([{ path: place }], { folder });
  rmSync(place);
  const { path: restored } = await restoreSession(path.basename(file, '.jsonl'), { folder });
  assert.equal(restored, place);
  assert.deepEqual(await resumeLive(versions.current, restored), expected);
});

test(
  `client ${versions.current} sends what we predict, for every vector and recorded sessions`,
  {
    concurrency: availableParallelism() + 1,
  },
  async (t) => {
    // A sixth of the sessions; all of them with CLEW_LONG=1. `npm test` checks all recordings, without the client.
    const recorded = shareOf(corpusRealCases(), 0, 6);
    const cases = [...vectorCases(), ...recorded];
    const report = progressReport(cases.length);
    await Promise.all(
      cases.map(({ name, file }) =>
        t.test(name, async () => {
          await assertPredicted(versions.current, file).finally(report);
        }),
      ),
    );
  },
);

test(
  `client ${versions.current} sends what we predict to api.anthropic.com, for sessions with thinking`,
  {
    concurrency: availableParallelism(),
  },
  async (t) => {
    const recorded = [...corpusRealCases(), ...vectorCases(), ...corpusPublicCases()];
    const thoughtful = recorded.filter(({ file }) => /"type":"thinking"/.test(readFileSync(file, 'utf8')));
    const cases = [...bindingCases(), ...thoughtful].slice(0, 60);
    assert.equal(cases.length, 60);
    const report = progressReport(cases.length);
    await Promise.all(
      cases.map(({ name, file }) =>
        t.test(name, async () => {
          await assertPredicted(versions.current, file, 'anthropic').finally(report);
        }),
      ),
    );
  },
);

function assistantBlockTypes(entry: unknown): unknown[] {
  if (!isObject(entry) || entry.type !== 'assistant' || !isObject(entry.message)) return [];
  const { content } = entry.message;
  return Array.isArray(content) ? content.map((block) => (isObject(block) ? block.type : block)) : [content];
}

/** The run takes minutes, and a list of ticks does not show the remaining time. */
function progressReport(total: number): () => void {
  const start = Date.now();
  let done = 0;
  return () => {
    done++;
    if (done % 20 !== 0 && done !== total) return;
    const seconds = Math.round((Date.now() - start) / 1000);
    process.stderr.write(`${done} of ${total} sessions compared, ${seconds} s\n`);
  };
}
