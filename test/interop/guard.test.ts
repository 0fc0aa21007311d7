// The real client with `clew guard` as its PreToolUse and UserPromptSubmit hook, against the mock: below the limits it is
// silent, at the soft limit the user sees a notice, at the hard limit a tool call and a prompt are blocked.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { type ClientRun, resume, startSession } from './client.ts';
import { clientOf } from './live.ts';
import type { Scripts } from './mock-reply.ts';
import { scenarioScripts } from './scripts.ts';

test('the hard limit denies the call, ends the turn, and blocks the next prompt', async (context) => {
  const live = await guarded(context, ['--hard', '0.0031', '--per', 'session']);
  // The first answer reaches the limit: its Write must not happen, and no second request may be sent.
  const first = await startSession({ ...live, prompt: 'Write it. [[guarded]]' });
  assert.equal(first.exitCode, 0, first.stderr);
  const { result, sessionId, lines } = read(first);
  assert.equal(first.requests.filter(isMessage).length, 1);
  // The client says itself what it has spent.
  const spent = `$${result.total_cost_usd?.toFixed(4)}`;
  assert.equal(spent, '$0.0038');
  const reason = `clew guard: ${spent} spent in this session, the hard limit is $0.0031; a new session starts at $0; to continue now, the user can run clew guard set --hard 1 in a terminal`;
  assert.deepEqual(
    lines.flatMap(({ attachment }) => (attachment?.type === 'hook_stopped_continuation' ? [attachment.message] : [])),
    [reason],
  );
  const results = lines.flatMap(({ type, message }) => (type === 'user' ? (message?.content ?? []) : []));
  const denied = results.filter((block) => typeof block === 'object' && block.type === 'tool_result');
  assert.deepEqual(
    denied.map(({ content, is_error }) => [content, is_error]),
    [[`PreToolUse:Write hook error: ${reason}`, true]],
  );

  const second = await resume({ ...live, prompt: 'Go on. [[second]]', files: first.files, sessionId });
  assert.equal(second.requests.filter(isMessage).length, 0);
  assert.ok(second.stdout.includes(`UserPromptSubmit operation blocked by hook:\\n${reason}`), second.stdout);
});

test('the soft limit is a notice to the user, once; everything runs', async (context) => {
  const live = await guarded(context, ['--soft', '0.001', '--hard', '100', '--per', 'day']);
  const run = await startSession({ ...live, prompt: 'Write it. [[guarded]]' });
  const { result, lines } = read(run);
  assert.deepEqual([result.result, run.requests.filter(isMessage).length], ['Both files are written.', 3]);
  const notices = lines.flatMap(({ attachment }) =>
    attachment?.type === 'hook_system_message' ? [attachment.content] : [],
  );
  assert.equal(notices.length, 1, JSON.stringify(notices));
  assert.match(
    notices[0] ?? '',
    // The client may write an answer after the hook of its first call has read the file; then the second call reports both.
    /^clew guard: \$0\.00(?:38|75) spent today, the soft limit is \$0\.0010, calls are blocked at \$100; the count starts again at 00:00; at \$0\.0[23] per hour: /,
  );
});

test('without limits, and with limits that cannot be read, everything runs', async (context) => {
  const live = await guarded(context, undefined);
  const run = await startSession({ ...live, prompt: 'Write it. [[guarded]]' });
  assert.equal(read(run).result.result, 'Both files are written.');
  assert.equal(run.stdout.includes('clew guard'), false);
  writeFileSync(path.join(live.env.CLEW_HOME, 'guard.json'), '{"hard":"lots"}');
  const broken = await startSession({ ...live, prompt: 'Say hello. [[plain]]' });
  assert.equal(read(broken).result.result, 'Hello! I can help with the widgets project.');
  const notices = read(broken).lines.flatMap(({ attachment }) =>
    attachment?.type === 'hook_system_message' ? [attachment.content] : [],
  );
  assert.match(notices[0] ?? '', /guard\.json cannot be used: .*; until then no limit is checked$/);
});

interface TranscriptLine {
  readonly type: string;
  readonly attachment?: { readonly type: string; readonly message?: string; readonly content?: string };
  readonly message?: {
    readonly content: readonly { readonly type: string; readonly content?: string; readonly is_error?: boolean }[];
  };
}

function read(run: ClientRun) {
  const name = Object.keys(run.files).find((each) => /^[^/]+\.jsonl$/.test(each));
  assert.ok(name !== undefined, run.stderr);
  const lines = String(run.files[name])
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TranscriptLine);
  const result = (
    JSON.parse(run.stdout) as readonly { readonly total_cost_usd?: number; readonly result?: string }[]
  ).at(-1);
  assert.ok(result !== undefined);
  return { result, lines, sessionId: name.slice(0, -'.jsonl'.length) };
}

function isMessage(request: { readonly path: string }): boolean {
  return request.path.startsWith('/v1/messages');
}

function scripts(folder: string): Scripts {
  const write = (name: string) => ({
    type: 'tool_use' as const,
    name: 'Write',
    input: { file_path: `${folder}/${name}`, content: 'x' },
  });
  return {
    ...scenarioScripts(folder),
    guarded: [
      { blocks: [write('a.txt')] },
      { blocks: [write('b.txt')] },
      { blocks: [{ type: 'text', text: 'Both files are written.' }] },
    ],
  };
}

async function guarded(context: TestContext, words: readonly string[] | undefined) {
  const cli = await clientOf('2.1.325');
  const state = temporaryFolder(context);
  const env = { CLEW_HOME: state };
  const set = runClew(['guard', words === undefined ? 'off' : 'set', ...(words ?? [])], {
    env: { ...env, CLEW_ROOTS: state },
  });
  assert.equal(set.status, 0, set.stderr);
  const hooks = [{ hooks: [{ type: 'command', command: `"${process.execPath}" "${clew}" guard` }] }];
  const prepare = (home: string): void => {
    mkdirSync(path.join(home, '.claude'), { recursive: true });
    writeFileSync(
      path.join(home, '.claude/settings.json'),
      JSON.stringify({ hooks: { PreToolUse: hooks, UserPromptSubmit: hooks } }),
    );
  };
  const args = ['--dangerously-skip-permissions', '--verbose'];
  const workspace = { 'README.md': '# My Project\n', 'src/index.js': 'export const widget = 1;\n' };
  return { cli, workspace, scripts, args, env, prepare };
}
