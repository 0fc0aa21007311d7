// Commands in the workspace sandbox reach the domains on the list and nothing else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, copyFileSync, mkdirSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { makeBench, skip } from './sandbox-kit.ts';

const answer = 'HELLO-FROM-OUTSIDE';

async function serve(context: TestContext): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { port: address.port, asked };
}

/** Sends a text to a port of 127.0.0.1 and prints what comes back, with nothing but bash. */
function say(port: number, text: string): string {
  return `exec 3<>/dev/tcp/127.0.0.1/${port} && printf '${text}' >&3 && cat <&3`;
}

function get(url: string): string {
  return say(3128, `GET ${url} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n`);
}

function tunnel(host: string): string {
  return say(
    3128,
    `CONNECT ${host} HTTP/1.1\\r\\n\\r\\nGET /tunnel HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n`,
  );
}

test(
  'a domain on the list is reached, by request and by tunnel, and the exit code is that of the command',
  {
    skip,
  },
  async (t) => {
    const { port, asked } = await serve(t);
    const bench = makeBench(t, {}, [], { allowed: ['localhost'], denied: [] });
    const plain = await bench.run(get(`http://localhost:${port}/plain`), 'workspace');
    assert.match(plain.output, /HELLO-FROM-OUTSIDE/);
    const tunnelled = await bench.run(tunnel(`localhost:${port}`), 'workspace');
    assert.match(tunnelled.output, /200 OK[\s\S]*HELLO-FROM-OUTSIDE/);
    assert.deepEqual(asked, ['/plain', '/tunnel']);
    const ended = await bench.run('echo "$https_proxy"; exit 7', 'workspace');
    assert.deepEqual([ended.code, ended.output], [7, 'http://127.0.0.1:3128\n']);
  },
);

for (const [what, allowed, denied, refused] of [
  ['a host that is not on the list', ['example.com'], [], /^HTTP\/1\.1 403 /],
  ['a host that is denied', ['*', 'localhost', '127.0.0.1'], ['*'], /^HTTP\/1\.1 403 /],
  // 502: it is refused when its name is looked up.
  ['an address of this machine that only a star allows', ['*'], [], /^HTTP\/1\.1 (?:403|502) /],
] as const)
  test(`${what} is not reached`, { skip }, async (t) => {
    const { port, asked } = await serve(t);
    const bench = makeBench(t, {}, [], { allowed, denied });
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433']) {
      for (const command of [get(`http://${host}:${port}/`), tunnel(`${host}:${port}`)]) {
        const { output } = await bench.run(command, 'workspace');
        assert.match(output, refused, command);
      }
    }
    const direct = await bench.run(say(port, 'GET / HTTP/1.0\\r\\n\\r\\n'), 'workspace');
    assert.notEqual(direct.code, 0);
    assert.deepEqual(asked, []);
  });

test('the read-only sandbox has no network, whatever is on the list', { skip }, async (t) => {
  const { port, asked } = await serve(t);
  const bench = makeBench(t, {}, [], { allowed: ['localhost'], denied: [] });
  const { code } = await bench.run(get(`http://localhost:${port}/`), 'read-only');
  assert.notEqual(code, 0);
  assert.deepEqual(asked, []);
});

test('Node may be in a folder of the home that the sandbox does not show', { skip }, async (t) => {
  const { port } = await serve(t);
  const bench = makeBench(t, {}, [], { allowed: ['localhost', 'in-the-home.example'], denied: [] });
  const folder = path.join(bench.home, '.volta/tools/image/node');
  mkdirSync(folder, { recursive: true });
  const { execPath } = process;
  t.after(() => {
    process.execPath = execPath;
  });
  process.execPath = path.join(folder, 'node');
  copyFileSync(execPath, process.execPath, constants.COPYFILE_FICLONE);
  const { output } = await bench.run(get(`http://localhost:${port}/`), 'workspace');
  assert.match(output, /HELLO-FROM-OUTSIDE/);
  const around = await bench.run(`ls -A ${bench.home} /run/clew; : > /run/clew/node; env`, 'workspace');
  assert.match(around.output, /\/run\/clew:\nnode\n/);
  assert.match(around.output, /Read-only file system/);
  assert.doesNotMatch(around.output, /\.volta|LD_LIBRARY_PATH/);
});

test('libraries of Node that are outside the system folders are mounted next to it', (t) => {
  const folder = temporaryFolder(t);
  const { sharedObjects } = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  const library = sharedObjects.find((file) => path.isAbsolute(file) && path.basename(file).startsWith('libm.')) ?? '';
  const copy = path.join(folder, path.basename(library));
  copyFileSync(library, copy);
  const network = new URL('../../../src/agent/sandbox/network.js', import.meta.url).href;
  const code = `const { openNetwork } = await import('${network}');
    const { files, env } = openNetwork({ allowed: [], denied: [] });
    console.log(JSON.stringify([[...files], env.LD_LIBRARY_PATH]));
    process.exit();`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    env: { ...process.env, LD_LIBRARY_PATH: folder },
  });
  assert.deepEqual(JSON.parse(stdout), [
    [
      [realpathSync(process.execPath), '/run/clew/node'],
      [copy, `/run/clew/${path.basename(library)}`],
    ],
    '/run/clew',
  ]);
});
