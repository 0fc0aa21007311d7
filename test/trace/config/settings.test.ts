// Our hooks in the client's settings: only events that it knows, never twice, and other hooks do not change.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  installedEvents,
  plannedHooks,
  withoutTraceHooks,
  withTraceHooks,
} from '../../../src/trace/config/settings.ts';
import { jsonOf, runClew } from '../../support/clew.ts';
import { sessionText, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const command = '/usr/bin/node /opt/clew/dist/trace-hook.js';

test('only events that the installed client knows are set up, and background ones only where it can run them', () => {
  const stop = { event: 'Stop', isAsync: false, timeoutS: 20 };
  assert.deepEqual(plannedHooks(undefined), [stop]);
  assert.deepEqual(plannedHooks([1, 0, 57]), [stop]);
  const end = { event: 'SessionEnd', isAsync: false, timeoutS: 3 };
  assert.deepEqual(plannedHooks([2, 0, 50]), [stop, end, { event: 'SessionStart', isAsync: false, timeoutS: 10 }]);
  assert.deepEqual(plannedHooks([2, 1, 325]), [
    { ...stop, isAsync: true },
    end,
    { event: 'SessionStart', isAsync: true, timeoutS: 10 },
  ]);
});

test('hooks of others, other settings and the indentation stay as they are', () => {
  const theirs = { matcher: '', hooks: [{ type: 'command', command: 'say done' }] };
  const before = `${JSON.stringify({ model: 'opus', hooks: { Stop: [theirs], PreToolUse: [] }, env: { A: '1' } }, null, 4)}\n`;
  const plans = plannedHooks([2, 1, 325]);
  const after = withTraceHooks(before, plans, command, 'settings.json');
  const own = (timeout: number, more: object = {}) => ({ hooks: [{ type: 'command', command, timeout, ...more }] });
  assert.deepEqual(JSON.parse(after), {
    model: 'opus',
    hooks: {
      Stop: [theirs, own(20, { async: true })],
      PreToolUse: [],
      SessionEnd: [own(3)],
      SessionStart: [own(10, { async: true })],
    },
    env: { A: '1' },
  });
  assert.match(after, /^\{\n {4}"model"/);
  assert.equal(withTraceHooks(after, plans, command, 'settings.json'), after);
  assert.deepEqual(installedEvents(after, 'settings.json'), ['Stop', 'SessionEnd', 'SessionStart']);
  assert.equal(withoutTraceHooks(after, 'settings.json'), before);
  assert.equal(withoutTraceHooks(before, 'settings.json'), before);
});

test('a hook of an earlier place is replaced, not added to', () => {
  const old = withTraceHooks(
    undefined,
    plannedHooks([2, 1, 325]),
    "'/old place/node' '/old/dist/trace-hook.js'",
    'settings.json',
  );
  const now = withTraceHooks(old, plannedHooks([1, 0, 57]), command, 'settings.json');
  assert.deepEqual(JSON.parse(now), { hooks: { Stop: [{ hooks: [{ type: 'command', command, timeout: 20 }] }] } });
});

test('a hook of another program in the same group stays when ours is removed', () => {
  const theirs = { type: 'command', command: 'say done' };
  const ours = { type: 'command', command: `'/a b/node' '/opt/clew/dist/trace-hook.js'`, timeout: 20 };
  const groups = (...hooks: readonly object[]) => ({ hooks: { Stop: [{ matcher: 'x', hooks }] } });
  const after = withoutTraceHooks(JSON.stringify(groups(theirs, ours)), 'settings.json');
  assert.deepEqual(JSON.parse(after), groups(theirs));
});

test('settings that cannot be read are not written to', () => {
  for (const text of ['{', '[]', '{"hooks":[]}', '{"hooks":{"Stop":{}}}'])
    assert.throws(() => withTraceHooks(text, plannedHooks([2, 1, 0]), command, 'settings.json'), { name: 'UserError' });
});

test('clew trace install keeps a backup, and uninstall takes all of it back', (context) => {
  const folder = temporaryFolder(context);
  const root = path.join(folder, 'claude');
  const before = '{\n  "model": "opus"\n}\n';
  writeTree(root, { 'settings.json': before, 'projects/p/s.jsonl': sessionText([user('hi')], { version: '2.1.325' }) });
  // No client on the PATH: the newest transcript has the version.
  const env = { PATH: '/nowhere', CLEW_HOME: path.join(folder, 'state') };
  const settings = path.join(root, 'settings.json');
  const run = (...words: string[]) =>
    jsonOf(['trace', ...words, '--json', '--root', root], { env }) as Record<string, unknown>;
  const first = run('install');
  const events = ['Stop', 'SessionEnd', 'SessionStart'];
  const expected = { settings, client: '2.1.325', events, changed: true, backup: null, examples: [] };
  assert.deepEqual({ ...first, backup: null }, expected);
  assert.equal(readFileSync(String(first.backup), 'utf8'), before);
  assert.match(readFileSync(settings, 'utf8'), /dist\/trace-hook\.js"/);
  run('uninstall');
  assert.equal(readFileSync(settings, 'utf8'), before);
  assert.equal(readdirSync(root).filter((name) => name.includes('.backup-')).length, 2);
  writeFileSync(settings, 'not json');
  const refused = runClew(['trace', 'install', '--root', root], { env });
  assert.equal(refused.status, 2);
  assert.match(
    refused.stderr,
    /^clew: .*settings\.json is not a JSON object; correct it first; nothing was changed\n$/,
  );
  assert.equal(readFileSync(settings, 'utf8'), 'not json');
});
