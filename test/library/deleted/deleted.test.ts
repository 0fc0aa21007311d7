// Traces that a hostile or old config folder holds: what is listed as a deleted session, and what is not.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/index.ts';
import { type DeletedList, deletedPrompts, listDeleted, searchDeleted } from '../../../src/library/deleted/index.ts';
import { runClew } from '../../support/clew.ts';
import { giveToOrdinaryUser, ordinaryUser } from '../../support/ordinary-user.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const one = '11111111-1111-4111-8111-111111111111';
const two = '22222222-2222-4222-8222-222222222222';
const hour = 3_600_000;
const noon = Date.parse('2026-03-01T12:00:00Z');

interface Prompt {
  readonly display: unknown;
  readonly timestamp?: unknown;
  readonly project?: unknown;
  readonly sessionId?: unknown;
  readonly pastedContents?: unknown;
}

function historyText(...prompts: readonly Prompt[]): string {
  return prompts.map((prompt) => `${JSON.stringify({ timestamp: noon, project: '/w/lamp', ...prompt })}\n`).join('');
}

function configOf(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder(context);
  mkdirSync(path.join(root, 'projects'));
  writeTree(root, files);
  return root;
}

function list(root: string): DeletedList {
  return listDeleted({ roots: [root], env: { CLEW_HOME: path.join(root, 'state') } });
}

const line = (text: string, time: number): string =>
  `${JSON.stringify({ type: 'user', uuid: text, parentUuid: null, sessionId: one, cwd: '/w/lamp', timestamp: new Date(time).toISOString(), message: { role: 'user', content: text } })}\n`;

test('lines that are not prompts are passed over, and the others are still found', (context) => {
  const root = configOf(context, {
    'history.jsonl': `not json\n{"display":5}\n[1]\nnull\n\n{"display":"   ","sessionId":"${one}"}\n${historyText(
      { display: 'light the lamp', sessionId: one },
      { display: 'wrong time', sessionId: one, timestamp: 'soon', pastedContents: 'none' },
      { display: 'huge time', sessionId: one, timestamp: 1e300, project: 7 },
    )}{"display":"cut off","sessi`,
  });
  const { sessions, problems } = list(root);
  assert.deepEqual(problems, []);
  assert.equal(sessions.length, 1);
  assert.deepEqual([sessions[0]?.id, sessions[0]?.left.prompts, sessions[0]?.startedAt], [one, 3, noon]);
});

test('an id that is not plain names no session and no path; such prompts are grouped like those without an id', (context) => {
  const ids = ['../../etc', 'a/b', '', 'x'.repeat(101), '\u001b[2J', 5, null];
  const prompts = ids.map((sessionId, i) => ({ display: `prompt ${i}`, sessionId, timestamp: noon + i }));
  const { sessions } = list(configOf(context, { 'history.jsonl': historyText(...prompts) }));
  assert.equal(sessions.length, 1);
  assert.match(sessions[0]?.id ?? '', /^prompts-[0-9a-f]{8}$/);
  assert.deepEqual([sessions[0]?.hasId, sessions[0]?.left.prompts], [false, ids.length]);
});

test('prompts without an id are grouped by folder and by pauses of more than three hours', (context) => {
  const root = configOf(context, {
    'history.jsonl': historyText(
      { display: 'a1' },
      { display: 'b1', project: '/w/other', timestamp: noon + 1 },
      { display: 'a2', timestamp: noon + 3 * hour },
      { display: 'a3', timestamp: noon + 6 * hour + 1 },
      { display: '/clear', timestamp: noon + 20 * hour },
    ),
  });
  const groups = list(root).sessions.map(({ cwd, firstPrompt, left }) => [cwd, firstPrompt, left.prompts]);
  assert.deepEqual(groups.sort(), [
    ['/w/lamp', 'a1', 2],
    ['/w/lamp', 'a3', 1],
    ['/w/other', 'b1', 1],
  ]);
  const texts = [...deletedPrompts({ roots: [root] }).prompts].map(({ text }) => text);
  assert.deepEqual(texts, ['a1', 'b1', 'a2', 'a3']);
});

test('prompts without an id that a transcript of the same folder covers belong to it', (context) => {
  const root = configOf(context, {
    'history.jsonl': historyText({ display: 'covered' }, { display: 'later', timestamp: noon + 5 * hour }),
    [`projects/-w-lamp/${one}.jsonl`]: line('covered', noon) + line('more', noon + hour),
  });
  utimesSync(path.join(root, `projects/-w-lamp/${one}.jsonl`), new Date(noon), new Date(noon + hour));
  assert.deepEqual(
    list(root).sessions.map(({ firstPrompt }) => firstPrompt),
    ['later'],
  );
});

test('a session is not deleted if any root has its transcript, whatever the case of the id, or a client runs it', (context) => {
  const id = 'abcdefab-1111-4111-8111-111111111111';
  const root = configOf(context, {
    'history.jsonl': historyText({ display: 'a', sessionId: id }, { display: 'b', sessionId: two }),
    [`sessions/${process.pid}.json`]: JSON.stringify({ pid: process.pid, sessionId: two }),
  });
  const other = configOf(context, { [`projects/-w/${id.toUpperCase()}.jsonl`]: line('a', noon) });
  const ids = (roots: readonly string[]): readonly string[] =>
    listDeleted({ roots, env: { CLEW_HOME: root } }).sessions.map((session) => session.id);
  assert.deepEqual([ids([root]), ids([root, other])], [[id], []]);
});

test('a client that was only opened and closed left no session', (context) => {
  const root = configOf(context, {
    'history.jsonl': historyText(
      { display: '/exit', sessionId: one },
      { display: '/model opus', sessionId: one },
      { display: '/review the lamp', sessionId: two },
    ),
  });
  assert.deepEqual(
    list(root).sessions.map(({ id, left }) => [id, left.prompts]),
    [[two, 1]],
  );
});

test('everything that is left of a session is counted, wherever it is', (context) => {
  const agent = JSON.stringify({
    type: 'user',
    isSidechain: true,
    sessionId: two,
    uuid: 'u',
    message: { content: 'x' },
  });
  const root = configOf(context, {
    [`file-history/${one}/0123456789abcdef@v1`]: 'a',
    [`file-history/${one}/0123456789abcdef@v2`]: 'b',
    [`file-history/${one}/fedcba9876543210@v1`]: 'c',
    [`projects/-w-lamp/${one}/subagents/agent-a1.jsonl`]: `${agent}\n`,
    [`projects/-w-lamp/${one}/subagents/agent-a1.meta.json`]: '{}',
    [`projects/-w-lamp/${one}/tool-results/b1.txt`]: 'out',
    [`projects/-w-lamp/${one}/custom-title.json`]: '{"customTitle":"lamp work"}',
    [`todos/${one}-agent-${one}.json`]: '[{"content":"x","status":"pending"}]',
    [`todos/${two}-agent-${two}.json`]: '[]',
    [`tasks/${one}/1.json`]: '{"subject":"x"}',
    [`debug/${one}.txt`]: 'log',
    'projects/-w-lamp/agent-b2.jsonl': `${agent}\n`,
    'projects/-w-lamp/memory/note.md': 'not a session',
    'projects/-w-lamp/sessions-index.json': JSON.stringify({
      version: 1,
      entries: [
        {
          sessionId: 'listed-only',
          firstPrompt: 'hello',
          summary: 'Greeting',
          projectPath: '/w/lamp',
          created: '2026-01-01T00:00:00Z',
          modified: '2026-01-02T00:00:00Z',
        },
        { sessionId: '../evil', firstPrompt: 'no' },
        7,
      ],
    }),
    'session-env/only-env/x': '',
  });
  const found = new Map(list(root).sessions.map((session) => [session.id, session]));
  assert.deepEqual([...found.keys()].sort(), [one, two, 'listed-only', 'only-env'].sort());
  const { left, title, project } = found.get(one) ?? {};
  assert.deepEqual([title, project], ['lamp work', '-w-lamp']);
  assert.deepEqual(left, { prompts: 0, fileVersions: 3, files: 2, agents: 1, toolResults: 1, tasks: 2, others: 1 });
  assert.equal(found.get(two)?.left.agents, 1);
  const listed = found.get('listed-only');
  assert.deepEqual([listed?.title, listed?.cwd, listed?.endedAt], ['Greeting', '/w/lamp', Date.parse('2026-01-02')]);
});

test('links that leave the config folder are not followed, and are named', (context) => {
  const outside = temporaryFolder(context);
  writeTree(outside, {
    'history.jsonl': historyText({ display: 'secret', sessionId: one }),
    '0123456789abcdef@v1': 'x',
  });
  const root = configOf(context, {});
  symlinkSync(path.join(outside, 'history.jsonl'), path.join(root, 'history.jsonl'));
  symlinkSync(outside, path.join(root, 'file-history'));
  mkdirSync(path.join(root, 'session-env'));
  symlinkSync(outside, path.join(root, 'session-env', two));
  const { sessions, leftOut } = list(root);
  assert.deepEqual(sessions, []);
  assert.deepEqual(leftOut.map((each) => path.basename(each.path)).sort(), ['file-history', 'history.jsonl']);
  assert.equal(searchDeleted({ roots: [root] }, { text: 'secret', mode: 'words' }).total, 0);
});

test('pasted texts are part of a prompt, from the line or from the paste cache, but not through links or odd names', (context) => {
  const outside = path.join(temporaryFolder(context), 'outside.txt');
  writeFileSync(outside, 'stolen');
  const hash = '0954f9eea4b69c36';
  const root = configOf(context, {
    [`paste-cache/${hash}.txt`]: 'from the cache',
    'secret.txt': 'stolen',
    'history.jsonl': historyText({
      display:
        'see [Pasted text #1] and [Pasted text #2 +3 lines] and [Pasted text #3] [Pasted text #4] [Pasted text #9]',
      sessionId: one,
      pastedContents: {
        1: { id: 1, type: 'text', content: 'inline' },
        2: { id: 2, type: 'text', contentHash: hash },
        3: { id: 3, type: 'text', contentHash: '../secret' },
        4: { id: 4, type: 'text', contentHash: 'ffffffffffffffff' },
      },
    }),
  });
  symlinkSync(outside, path.join(root, 'paste-cache', 'ffffffffffffffff.txt'));
  const [prompt] = [...deletedPrompts({ roots: [root] }).prompts];
  assert.equal(prompt?.text, 'see inline and from the cache and [Pasted text #3] [Pasted text #4] [Pasted text #9]');
});

test('a session in the archive is listed with its first prompt, and that it can be restored', async (context) => {
  const root = configOf(context, { [`projects/-w-lamp/${one}.jsonl`]: line('archived prompt', noon) });
  const env = { CLEW_HOME: path.join(root, 'state') };
  const main = path.join(root, `projects/-w-lamp/${one}.jsonl`);
  await archiveSessions([{ path: main }], { folder: path.join(root, 'state/archive') });
  assert.deepEqual(listDeleted({ roots: [root], env }).sessions, []);
  rmSync(main);
  const [session, ...others] = listDeleted({ roots: [root], env }).sessions;
  assert.deepEqual([others.length, session?.id, session?.isArchived], [0, one, true]);
  assert.deepEqual([session?.firstPrompt, session?.cwd], ['archived prompt', '/w/lamp']);
});

test('words, phrases, beginnings and exclusions mean the same as in living sessions', (context) => {
  const root = configOf(context, {
    'history.jsonl': historyText(
      { display: 'Light the LAMP in Zürich, 日本語', sessionId: one },
      { display: 'LAMP the light', sessionId: two, timestamp: noon + hour },
    ),
  });
  const found = (text: string, more: object = {}): string =>
    searchDeleted({ roots: [root] }, { text, mode: 'words', ...more })
      .sessions.map(({ session }) => session.id[0])
      .join('');
  assert.equal(found('lamp light'), '21');
  assert.equal(found('"light the lamp"'), '1');
  assert.equal(found('zurich'), '1');
  assert.equal(found('日本'), '1');
  assert.equal(found('lig* -zürich'), '2');
  assert.equal(found('ligh'), '');
  assert.equal(found('lamp', { since: noon + 1 }), '2');
  assert.equal(found('lamp', { until: noon + 1 }), '1');
  assert.equal(found('lamp', { role: 'assistant' }), '');
  assert.equal(found('lamp', { tool: 'Bash' }), '');
  assert.equal(found('L[A]MP', { mode: 'regex' }), '21');
  assert.equal(found('L[A]MP in', { mode: 'regex' }), '1');
  assert.equal(found('amp in', { mode: 'exact', ignoreCase: true }), '1');
});

test('a project folder that cannot be read is reported, and hides nothing else', (context) => {
  const root = configOf(context, {
    'history.jsonl': historyText({ display: 'lamp', sessionId: one }),
    [`projects/-closed/${two}.jsonl`]: line('x', noon),
  });
  const folder = path.join(root, 'projects/-closed');
  const state = temporaryFolder(context);
  for (const each of [root, state]) giveToOrdinaryUser(each);
  chmodSync(folder, 0);
  const options = { env: { CLEW_HOME: state }, ...ordinaryUser, isAlone: true };
  const { stdout, stderr, status } = runClew(['ls', '--deleted', '--json', '--root', root], options);
  chmodSync(folder, 0o700);
  assert.deepEqual(
    (JSON.parse(stdout) as readonly { readonly id: string }[]).map(({ id }) => id),
    [one],
  );
  assert.match(stderr, /cannot read .*-closed \(EACCES\)/);
  assert.equal(status, 1);
});
