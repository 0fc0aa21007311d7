import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { UserError } from '../../../src/base/errors/errors.ts';
import {
  type Environment,
  type OutputStream,
  pagerCommand,
  proseWidth,
  terminalWidth,
  writeOut,
} from '../../../src/cli/terminal/output.ts';
import { projectRoot } from '../../support/paths.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'clew-output-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A program that writes a million lines and says on stderr how its producer and the command ended. */
function producerScript(): string {
  const script = path.join(folder, 'producer.mjs');
  const output = pathToFileURL(path.join(projectRoot, 'build/src/cli/terminal/output.js'));
  writeFileSync(
    script,
    `import { writeOut } from ${JSON.stringify(output)};
let made = 0;
async function* lines() {
  try { for (; made < 1_000_000; made++) yield 'line ' + made + '\\n'; } finally { console.error(made < 1_000_000 ? 'stopped early' : 'made all'); }
}
await writeOut(lines(), { env: process.env, stdout: process.stdout });
console.error('ended');
`,
  );
  return script;
}

function shell(command: string): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${command}; echo "exit \${PIPESTATUS[0]}"`], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    // Where its input is a socket, as Node's pipes are, bash reads the user's .bashrc, and that may say anything.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { stdout, stderr };
}

describe('writing to a pipe', () => {
  test('a reader that leaves ends the command quietly and stops the producer', () => {
    const { stdout, stderr } = shell(`'${process.execPath}' '${producerScript()}' | head -n 2`);
    assert.deepEqual({ stdout, stderr }, { stdout: 'line 0\nline 1\nexit 0\n', stderr: 'stopped early\nended\n' });
  });

  test('a reader that stays gets every line', () => {
    const { stdout, stderr } = shell(`'${process.execPath}' '${producerScript()}' | wc -l | tr -d ' '`);
    assert.deepEqual({ stdout, stderr }, { stdout: '1000000\nexit 0\n', stderr: 'made all\nended\n' });
  });

  test('the producer is asked for no more than the reader takes', async () => {
    let made = 0;
    let taken = 0;
    let ahead = 0;
    const slow = new Writable({
      highWaterMark: 10,
      decodeStrings: false,
      write(_chunk, _encoding, done) {
        ahead = Math.max(ahead, made - taken);
        taken += 1;
        setImmediate(done);
      },
    });
    function* chunks(): Generator<string> {
      for (; made < 50; made += 1) yield '0123456789';
    }
    await writeOut(chunks(), { env: {}, stdout: slow });
    assert.ok(ahead <= 2, `${ahead} chunks ahead`);
    assert.ok(taken >= 50);
  });

  test('a failing disk is an error of one line, and an error of the producer passes through', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })),
    });
    await assert.rejects(
      writeOut(['a', 'b'], { env: {}, stdout: full }),
      new UserError(
        'the output could not be written (ENOSPC: no space left)',
        'check the disk or the receiving program',
      ),
    );
    async function* broken(): AsyncGenerator<string> {
      yield 'a';
      throw new UserError('no such session', 'run clew ls');
    }
    const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
    await assert.rejects(
      writeOut(broken(), { env: {}, stdout: sink }),
      new UserError('no such session', 'run clew ls'),
    );
  });

  test('a stream used many times keeps no listeners of its uses', async () => {
    const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
    for (let use = 0; use < 20; use += 1) await writeOut(['a'], { env: {}, stdout: sink });
    assert.deepEqual(
      ['error', 'close', 'drain'].map((event) => sink.listenerCount(event)),
      [1, 0, 0],
    );
  });
});

describe('writing to a terminal with a pager', () => {
  /** The content of the file that plays the terminal, after the chunks went through the pager. */
  async function paged(
    env: Environment,
    chunks: AsyncIterable<string> | Iterable<string>,
    pager = true,
  ): Promise<string> {
    const file = path.join(folder, 'terminal');
    const terminal: OutputStream = Object.assign(createWriteStream(file), { isTTY: true });
    await once(terminal, 'open');
    try {
      await writeOut(chunks, { pager, env: { PATH: process.env.PATH, ...env }, stdout: terminal });
    } finally {
      terminal.end();
      await once(terminal, 'close');
    }
    return readFileSync(file, 'utf8');
  }

  test('goes through CLEW_PAGER before PAGER, arguments and shell syntax included', async () => {
    assert.equal(await paged({ CLEW_PAGER: 'tr a b', PAGER: 'tr a c' }, ['a', 'a\n']), 'bb\n');
    assert.equal(await paged({ PAGER: 'tr a c' }, ['a', 'a\n']), 'cc\n');
    assert.equal(await paged({ PAGER: "tr a 'd' | tr d e" }, ['aa\n']), 'ee\n');
  });

  test('sets LESS to show colours and to keep a short text on the screen, unless the user set it', async () => {
    assert.equal(await paged({ PAGER: 'sh -c "cat; echo $LESS"' }, ['x\n']), 'x\nFRX\n');
    assert.equal(await paged({ PAGER: 'sh -c "cat; echo $LESS"', LESS: 'S' }, ['x\n']), 'x\nS\n');
  });

  test('goes straight to the terminal when there is no pager, none is wanted, or it is missing', async () => {
    assert.equal(await paged({ PAGER: '' }, ['a\n']), 'a\n');
    assert.equal(await paged({ PAGER: 'cat' }, ['a\n']), 'a\n');
    assert.equal(await paged({ PAGER: 'tr a b' }, ['a\n'], false), 'a\n');
    assert.equal(await paged({ PAGER: 'no-such-pager-anywhere -x' }, ['a\n']), 'a\n');
  });

  test('a pager line that cannot be run is an error that names it', async () => {
    await assert.rejects(paged({ PAGER: '(exit 127)' }, ['a\n']), {
      name: 'UserError',
      message: 'the pager "(exit 127)" could not be run; set CLEW_PAGER to another program, or to cat for none',
    });
  });

  test('quitting early stops a producer that never ends', async () => {
    let stopped = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (let line = 0; ; line += 1) yield `line ${line}\n`;
      } finally {
        stopped = true;
      }
    }
    assert.equal(await paged({ PAGER: 'head -n 2' }, endless()), 'line 0\nline 1\n');
    assert.equal(stopped, true);
  });

  test('quitting early does not wait for a producer that is waiting itself', async () => {
    async function* stuck(): AsyncGenerator<string> {
      yield 'one\n';
      await new Promise(() => {});
    }
    assert.equal(await paged({ PAGER: 'head -n 1' }, stuck()), 'one\n');
  });

  test('Ctrl-C is left to the pager only while it runs', async () => {
    const before = process.listenerCount('SIGINT');
    let during = 0;
    function* chunks(): Generator<string> {
      during = process.listenerCount('SIGINT');
      yield 'a\n';
    }
    await paged({ PAGER: 'tr a b' }, chunks());
    assert.deepEqual({ during, after: process.listenerCount('SIGINT') }, { during: before + 1, after: before });
  });
});

test('less is the pager unless the user has another', () => {
  assert.deepEqual(
    [pagerCommand({}), pagerCommand({ PAGER: 'more' }), pagerCommand({ CLEW_PAGER: '', PAGER: 'more' })],
    ['less -RFX', 'more', undefined],
  );
});

test('the width is what the terminal says, else COLUMNS, else 80; a pipe has none; prose stays readable', () => {
  assert.deepEqual(
    [
      terminalWidth({ columns: 200 }, { COLUMNS: '50' }),
      terminalWidth({}, { COLUMNS: '50' }),
      terminalWidth({ isTTY: true }, { COLUMNS: 'wide' }),
      terminalWidth({ isTTY: true, columns: 0 }, {}),
      terminalWidth({}, {}),
      proseWidth({}, {}),
      proseWidth({ columns: 200 }, {}),
      proseWidth({ columns: 60 }, {}),
    ],
    [200, 50, 80, 80, Number.POSITIVE_INFINITY, 80, 120, 60],
  );
});
