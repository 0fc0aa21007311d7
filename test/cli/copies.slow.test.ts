// Copies of a session, whoever makes them, change no report of usage: the original keeps what it cost. The expected
// reports are those from before the copy.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { startTime, thinking, toolUse, transcript } from '../support/transcript-builder.ts';

/** The last of all ids: wherever the order of ids decides, the original loses. */
const original = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
const firstId = '00000000-0000-4000-8000-000000000000';

interface Library {
  readonly folder: string;
  readonly root: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  run(...args: readonly string[]): void;
}

function library(context: TestContext): Library {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'root');
  const project = path.join(root, 'projects/-home-dev-widgets');
  const env = { CLEW_HOME: path.join(folder, 'state'), CLEW_ROOTS: root };
  const made = { folder, root, project, env };
  mkdirSync(path.join(folder, 'elsewhere'));
  originalSession().write(path.join(project, `${original}.jsonl`));
  const agent = transcript({ sessionId: original, isSidechain: true, agentId: 'aaa1111' })
    .user('look')
    .assistant('seen', usage('agent1', 70));
  agent.write(path.join(project, original, 'subagents/agent-aaa1111.jsonl'));
  // Nobody is writing to it now.
  for (const file of [`${original}.jsonl`, `${original}/subagents/agent-aaa1111.jsonl`])
    utimesSync(path.join(project, file), hourAgo, hourAgo);
  return {
    ...made,
    run: (...args) => {
      const { status, stderr, stdout } = runClew([...args], { env });
      assert.equal(status, 0, `clew ${args.join(' ')}: ${stderr}${stdout}`);
    },
  };
}

const hourAgo = Date.now() / 1000 - 3600;

/** A client writes lines after it made their file. */
const untilNow = Date.now() + 60_000 - startTime;

/** Four turns on two days, with thinking, calls, a sub-agent, a secret and an answer whose end was never linked. */
function originalSession() {
  return transcript({ sessionId: original })
    .after(untilNow)
    .user('one: token ghp_0123456789abcdefghijABCDEFGHIJ012345')
    .assistant([thinking('hm'), { type: 'text', text: 'first' }], usage('one', 10))
    .user('two')
    .call('toolu_1', usage('two', 20))
    .result('toolu_1')
    .assistant('second', usage('three', 30))
    .after(26 * 3600 * 1000)
    .user('three')
    .assistant([toolUse('toolu_2', 'Task', { prompt: 'look' })], usage('four', 40))
    .result('toolu_2', { toolUseResult: { agentId: 'aaa1111', content: [] } })
    .assistant('third', usage('five', 50))
    .user('four')
    .assistant('fourth', usage('six', 60));
}

function usage(id: string, output: number): { message: JsonObject } {
  return { message: { id: `msg_${id}`, usage: { input_tokens: 100, output_tokens: output } } };
}

type Reports = Readonly<Record<'session' | 'project' | 'daily', JsonObject>>;

function reports(env: Readonly<Record<string, string>>): Reports {
  const report = (kind: string): JsonObject => jsonOf(['usage', kind, '--json'], { env }) as JsonObject;
  return { session: report('session'), project: report('project'), daily: report('daily') };
}

/** The library in a root whose files were made in the worst order: the original last. */
function copiedRoot({ folder, root }: Library): string {
  const copy = path.join(folder, 'root-2');
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort((a, b) => Number(a.includes(original)) - Number(b.includes(original)));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), readFileSync(path.join(root, file)));
  }
  return copy;
}

type Copying = (library: Library) => void;

const out = ({ folder }: Library): string => path.join(folder, 'bundle.clew');

/** Every way to copy that leaves lineage, in the lines or by their times. */
const copies: Readonly<Record<string, Copying>> = {
  fork: ({ run }) => run('fork', original),
  'fork --at': ({ run }) => run('fork', original, '--at', '2'),
  'fork --to': ({ run, folder }) => run('fork', original, '--to', path.join(folder, 'elsewhere')),
  'fork --portable': ({ run }) => run('fork', original, '--portable'),
  'a fork of a fork': ({ run, env }) => {
    run('fork', original);
    run('fork', newest(env));
  },
  compress: ({ run }) => run('compress', original, '--keep-turns', '1'),
  'compress --drop-old': ({ run }) => run('compress', original, '--keep-turns', '1', '--drop-old'),
  'compress --portable': ({ run }) => run('compress', original, '--keep-turns', '1', '--portable'),
  strip: ({ run }) => run('strip', original, '--tools', '--thinking', '--agents'),
  redact: ({ run }) => run('redact', original),
  rewind: ({ run }) => run('rewind', original, '--to', '2'),
  split: ({ run }) => run('split', original, '--at', '2'),
  'doctor --fix': ({ run, project }) => {
    const file = path.join(project, `${original}.jsonl`);
    // A call without its result, which the API rejects.
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('"tool_use_id":"toolu_1"'));
    writeFileSync(file, lines.join('\n'));
    run('doctor', original, '--fix', '--yes');
  },
  'graft of a fork': ({ run, env }) => {
    run('fork', original, '--at', '2');
    run('graft', newest(env), original);
  },
  'bundle and import': (library) => {
    library.run('bundle', original, '-o', out(library));
    library.run('import', out(library), '--to', path.join(library.folder, 'elsewhere'));
  },
  'bundle, rm and import': (library) => {
    library.run('bundle', original, '-o', out(library), '--no-redact');
    library.run('rm', original, '--yes');
    library.run('import', out(library), '--to', '/home/dev/widgets');
  },
  'rm and restore': ({ run }) => {
    run('rm', original, '--yes');
    run('restore', original);
  },
  'a fork, then rm and restore of the original': ({ run }) => {
    run('fork', original);
    run('rm', original, '--yes');
    run('restore', original);
  },
  'the client, --fork-session, headless (2.0.50 to 2.1.29)': (library) =>
    clientFork(library, (line) => ({ ...line, sessionId: firstId }), [
      { type: 'queue-operation', operation: 'dequeue', timestamp: '2026-01-09T10:00:00.000Z', sessionId: firstId },
    ]),
  'the client, --fork-session (2.1.45)': (library) => clientFork(library, (line) => line),
  'the SDK, forkSession': (library) =>
    clientFork(library, (line) => ({
      ...line,
      sessionId: firstId,
      uuid: `${line.uuid}-2`,
      forkedFrom: { sessionId: original, messageUuid: line.uuid ?? '' },
    })),
};

/** Only the order in which files were made counts. */
const plainCopies: Readonly<Record<string, Copying>> = {
  'the client, --fork-session, interactive': (library) =>
    clientFork(library, (line) => ({ ...line, sessionId: firstId })),
  'move --copy': ({ run, folder }) => run('move', original, '--to', path.join(folder, 'elsewhere'), '--copy'),
};

function clientFork({ project }: Library, change: (line: JsonObject) => JsonObject, head: readonly JsonObject[] = []) {
  const lines = [...head, ...originalSession().entries.map(change)];
  writeFileSync(path.join(project, `${firstId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function newest(env: Library['env']): string {
  const [entry] = jsonOf(['history', '--json'], { env }) as unknown as readonly {
    to: readonly { sessionId: string }[];
  }[];
  assert.ok(entry?.to[0] !== undefined);
  return entry.to[0].sessionId;
}

for (const [name, copy] of Object.entries({ ...copies, ...plainCopies })) {
  test(`usage by session, project and day is the same after a copy: ${name}`, (context) => {
    const made = library(context);
    const before = reports(made.env);
    assert.deepEqual(
      (before.session.rows as readonly JsonObject[]).map(({ key, outputTokens }) => [key, outputTokens]),
      [[original, 280]],
    );
    copy(made);
    assert.deepEqual(reports(made.env), before, 'index brought up to date');
    assert.deepEqual(reports({ ...made.env, CLEW_HOME: path.join(made.folder, 'state-2') }), before, 'index rebuilt');
  });
}

for (const [name, copy] of Object.entries(copies)) {
  test(`it is the same when all files were copied, the original last: ${name}`, (context) => {
    const made = library(context);
    const before = reports(made.env);
    copy(made);
    const copied = copiedRoot(made);
    assert.deepEqual(reports({ CLEW_HOME: path.join(made.folder, 'state-2'), CLEW_ROOTS: copied }), before);
    const roots = [copied, made.root].join(path.delimiter);
    assert.deepEqual(reports({ CLEW_HOME: path.join(made.folder, 'state-3'), CLEW_ROOTS: roots }), before);
  });
}

test('a fork counts what was said in it, the original the rest, and a graft of both nothing', (context) => {
  const made = library(context);
  made.run('fork', original);
  const fork = newest(made.env);
  const more = transcript({ sessionId: fork, uuid: 'x1' }).user('more', { parentUuid: leafOf(made, fork) });
  const answer = transcript({ sessionId: fork })
    .from('x1')
    .assistant('done', { uuid: 'x2', ...usage('seven', 90) });
  writeFileSync(path.join(made.project, `${fork}.jsonl`), more.text() + answer.text(), { flag: 'a' });
  const expected = [
    [original, 280, 7],
    [fork, 90, 1],
  ].sort();
  assert.deepEqual(outputs(made.env), expected);
  made.run('graft', original, fork);
  assert.deepEqual(outputs(made.env), expected);
  made.run('fork', newest(made.env));
  assert.deepEqual(outputs(made.env), expected);
});

test('a move takes the cost along, and nothing else changes', (context) => {
  const made = library(context);
  const before = reports(made.env);
  const target = path.join(made.folder, 'elsewhere');
  made.run('move', original, '--to', target);
  const after = reports(made.env);
  assert.deepEqual([after.session, after.daily], [before.session, before.daily]);
  assert.deepEqual(after.project, JSON.parse(JSON.stringify(before.project).replaceAll('/home/dev/widgets', target)));
});

test('when the original is gone the copy that was made first counts', (context) => {
  const made = library(context);
  made.run('fork', original);
  const fork = newest(made.env);
  made.run('compress', fork, '--keep-turns', '3');
  made.run('fork', newest(made.env));
  removeSession(made, original);
  assert.deepEqual(outputs(made.env), [[fork, 280, 7]]);
  const copied = copiedRoot(made);
  assert.deepEqual(outputs({ CLEW_HOME: path.join(made.folder, 'state-2'), CLEW_ROOTS: copied }), [[fork, 280, 7]]);
});

test('stats count a prompt once, however often its session was copied', (context) => {
  const made = library(context);
  const prompts = (): unknown => (jsonOf(['stats', '--json'], { env: made.env }) as JsonObject).prompts;
  assert.equal(prompts(), 4);
  made.run('fork', original);
  made.run('fork', newest(made.env));
  made.run('compress', original, '--keep-turns', '1');
  assert.equal(prompts(), 4);
  removeSession(made, original);
  assert.equal(prompts(), 4);
});

/** Session, output tokens and messages of each row. */
function outputs(env: Library['env']): readonly unknown[] {
  const { rows } = reports(env).session as unknown as { rows: readonly JsonObject[] };
  return rows.map(({ key, outputTokens, messages }) => [key, outputTokens, messages]).sort();
}

function leafOf({ project }: Library, session: string): string {
  const lines = readFileSync(path.join(project, `${session}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  const last = lines.map((line) => JSON.parse(line) as JsonObject).findLast(({ type }) => type === 'assistant');
  assert.ok(typeof last?.uuid === 'string');
  return last.uuid;
}

function removeSession({ project }: Library, session: string): void {
  for (const name of [`${session}.jsonl`, session]) rmSync(path.join(project, name), { recursive: true });
}
