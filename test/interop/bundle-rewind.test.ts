// What the real client's rewind does with a session from a bundle whose file history holds programs: without Clew it writes
// them, after an import it restores only ordinary files, and with `--all-files` it does what was shown before.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '../../src/base/json/json.ts';
import { clientEnvironment, clientSettings } from '../../src/doctor/client-probe/client-run.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { installClient, resume, sessionFiles } from './client.ts';
import { describeDifference } from './difference.ts';
import { startGateway } from './direct-api.ts';
import { predict } from './predict.ts';

const version = '2.1.325';
const prompt = '22222222-2222-4222-a222-222222222222';
const answer = '33333333-3333-4333-a333-333333333333';
const programs = ['.git/hooks/pre-commit', '.claude/settings.json', 'CLAUDE.md', 'package.json'];
let cli = '';

before(async () => {
  cli = await installClient(version);
});

test('a rewind of the real client writes what the session names, unless it was imported', async (context) => {
  const writer = makePlace(context);
  const main = writeSession(writer);
  const bundle = path.join(writer.folder, 'hostile.clew');
  const args = ['bundle', main, '--all-files', '-o', bundle, '--root', writer.root];
  assert.equal(runClew(args, { env: { CLEW_HOME: writer.state } }).status, 0);
  await rewind(writer);
  assert.deepEqual(filesIn(writer), { restored: true, deleted: true, programs });

  const reader = makePlace(context);
  const imported = importInto(reader, bundle) as { to: { path: string } };
  const [run, predicted] = await Promise.all([
    resume({ cli, files: await sessionFiles(imported.to.path), sessionId, prompt: 'next' }),
    predict(imported.to.path),
  ]);
  assert.ok(run.sent !== null && 'messages' in predicted, run.stderr);
  assert.equal(describeDifference(run.sent, predicted.messages), undefined);
  await rewind(reader);
  assert.deepEqual(filesIn(reader), { restored: true, deleted: false, programs: [] });

  const trusting = makePlace(context);
  importInto(trusting, bundle, '--all-files', '--yes');
  await rewind(trusting);
  assert.deepEqual(filesIn(trusting), { restored: true, deleted: true, programs });
});

interface Place {
  readonly folder: string;
  readonly home: string;
  readonly root: string;
  readonly project: string;
  readonly state: string;
}

function makePlace(context: TestContext): Place {
  const folder = realpathSync(temporaryFolder(context));
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  mkdirSync(path.join(home, '.claude'), { recursive: true });
  writeTree(project, { 'src/a.ts': 'new', 'made.txt': 'made by the agent' });
  writeFileSync(path.join(home, '.claude.json'), clientSettings(project));
  return { folder, home, root: path.join(home, '.claude'), project, state: path.join(folder, 'state') };
}

function writeSession({ root, project }: Place): string {
  const backup = (backupFileName: string | null): JsonObject => ({
    backupFileName,
    version: 1,
    backupTime: '2026-01-03T10:00:00.000Z',
  });
  const tracked = Object.fromEntries(programs.map((name) => [name, backup('aaaaaaaaaaaaaaaa@v1')]));
  const trackedFileBackups = { 'src/a.ts': backup('0123456789abcdef@v1'), ...tracked, 'made.txt': backup(null) };
  const snapshot = { messageId: prompt, timestamp: '2026-01-03T10:00:00.000Z' };
  const text = transcript({ cwd: project, version })
    .aside('file-history-snapshot', {
      messageId: prompt,
      snapshot: { ...snapshot, trackedFileBackups: {} },
      isSnapshotUpdate: false,
    })
    .user('hello', { uuid: prompt })
    .aside('file-history-snapshot', {
      messageId: answer,
      snapshot: { ...snapshot, trackedFileBackups },
      isSnapshotUpdate: true,
    })
    .assistant('done', { uuid: answer })
    .text();
  const slug = project.replace(/[^A-Za-z0-9]/g, '-');
  writeTree(root, {
    [`projects/${slug}/${sessionId}.jsonl`]: text,
    [`file-history/${sessionId}/0123456789abcdef@v1`]: 'as it was before',
    [`file-history/${sessionId}/aaaaaaaaaaaaaaaa@v1`]: 'a program',
  });
  return path.join(root, 'projects', slug, `${sessionId}.jsonl`);
}

function importInto({ root, project, state, home }: Place, bundle: string, ...words: readonly string[]): JsonObject {
  const env = { CLEW_HOME: state, HOME: home };
  return jsonOf(['import', bundle, '--json', '--root', root, ...words], { env, cwd: project }) as JsonObject;
}

async function rewind({ home, project }: Place): Promise<void> {
  const mock = await startGateway({ scripts: {} });
  try {
    const own = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' };
    const env = { ...clientEnvironment(cli, home, mock.env), ...own };
    const args = ['--resume', sessionId, '--rewind-files', prompt];
    await promisify(execFile)(cli, args, { cwd: project, env, timeout: 60_000 });
  } finally {
    await mock.close();
  }
}

function filesIn({ project }: Place): JsonObject {
  return {
    restored: readFileSync(path.join(project, 'src/a.ts'), 'utf8') === 'as it was before',
    deleted: !existsSync(path.join(project, 'made.txt')),
    programs: programs.filter((name) => existsSync(path.join(project, name))),
  };
}
