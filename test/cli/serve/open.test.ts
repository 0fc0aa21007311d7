// clew open: one line with the address, a server at it, and an orderly end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { parseJson } from '../../../src/base/json/json.ts';
import { runClew } from '../../support/clew.ts';
import { projectRoot } from '../../support/paths.ts';
import { startClew } from '../../support/running-clew.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { transcript } from '../../support/transcript-builder.ts';
import { tokenOf } from '../../support/web-server.ts';

test('it prints its address as one line of JSON, serves it, and ends with the signal', async (context) => {
  const clew = startClew(context, ['open', 'b8f420a0', '--demo', '--no-browser', '--json']);
  const printed = await clew.prints(/\n/);
  const { url, ...rest } = parseJson(printed) as { readonly url: string };
  assert.deepEqual(rest, {});
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/s\/b8f420a0-23ef-4b16-9f83-eae59b2fc4a3#token=[\w-]{32}$/);
  const page = await fetch(url, { redirect: 'manual' });
  assert.deepEqual([page.status, page.headers.get('set-cookie')], [200, null]);
  const answer = await fetch(new URL('/api/status', url), { headers: { 'x-clew-token': tokenOf(url) } });
  const { isDemo, allowsChanges } = (await answer.json()) as {
    readonly isDemo: boolean;
    readonly allowsChanges: boolean;
  };
  assert.deepEqual([isDemo, allowsChanges], [true, false]);
  assert.deepEqual(await clew.end('SIGINT'), [0, null]);
  assert.deepEqual([clew.stdout(), clew.stderr()], [printed, '']);
});

test('a file outside of the roots is refused by name', (context) => {
  const file = path.join(temporaryFolder(context), 'alone.jsonl');
  transcript().user('hello').assistant('hi').write(file);
  const { status, stderr } = runClew(['open', file, '--demo', '--no-browser']);
  assert.deepEqual(
    [status, stderr],
    [2, `clew: ${file} is not in a project folder of a root; add its root with --root DIR\n`],
  );
});

test('npm start shows the demo where there are no sessions', async (context) => {
  const clew = startClew(context, ['open', '--or-demo', '--no-browser']);
  await clew.says(/showing the bundled demo sessions/);
  const url = (await clew.prints(/\n/)).trim();
  const answer = await fetch(new URL('/api/sessions', url), { headers: { 'x-clew-token': tokenOf(url) } });
  assert.equal(((await answer.json()) as { readonly total: number }).total, 5);
  assert.deepEqual(await clew.end('SIGTERM'), [0, null]);
});

test('a port in use and an invalid port are reported in one line', async (context) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const taken = runClew(['open', '--demo', '--no-browser', '--port', String(port)]);
  assert.deepEqual(
    [taken.status, taken.stderr],
    [2, `clew: port ${port} is in use; choose another port, or omit --port\n`],
  );
  assert.match(runClew(['open', '--demo', '--port', '70000']).stderr, /--port takes a number up to 65535/);
  assert.equal(runClew(['open', 'no-such-session', '--demo', '--no-browser']).status, 2);
});

test('no command changes the demo sessions of the program', () => {
  const before = demoFiles();
  for (const args of [
    ['open', '--demo', '--allow-changes'],
    ['doctor', '--demo', '--fix', '--yes', '463b11e7'],
    ['trace', 'install', '--demo'],
    ['trace', 'uninstall', '--demo'],
  ]) {
    const { status, stderr } = runClew(args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^clew: .* does not change the demo sessions; leave out --demo\n$/);
  }
  assert.deepEqual(demoFiles(), before);
});

function demoFiles(): readonly string[] {
  return readdirSync(path.join(projectRoot, 'demo'), { recursive: true, encoding: 'utf8' }).sort();
}
