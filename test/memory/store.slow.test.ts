// `clew mcp --store` with the client of the SDK over stdio: sessions of others, announced, as long as they are shared.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { cleanEnv, runClew } from '../support/clew.ts';
import { clew } from '../support/dist.ts';
import { noPostgres } from '../support/postgres.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { startTeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { type Machine, machineOf } from '../team/push-kit.ts';

const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`;
const [here, elsewhere] = ['/home/dev/light', '/home/dev/dark'];
const [id, other, changed] = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
];

function session(sessionId: string, cwd: string, ...texts: readonly string[]): string {
  return sessionText(
    texts.map((text, i) => (i % 2 === 0 ? user(text) : assistant(text))),
    { sessionId, cwd },
  );
}

function push(machine: Machine): void {
  const { status, stderr } = runClew(['push'], { env: machine.env });
  assert.equal(status, 0, stderr);
}

test(
  'an agent asks the sessions of others that the store shares, and no longer once they are taken back',
  { skip: noPostgres },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer', bob: 'developer' });
    const ada = machineOf(context, store.addressOf('ada'), {
      name: 'ada',
      files: {
        [`-home-dev-light/${id}.jsonl`]: session(
          id,
          here,
          'why is the lighthouse dark?',
          `The lamp was broken. Key: ${secret}`,
        ),
        [`-home-dev-dark/${other}.jsonl`]: session(
          other,
          elsewhere,
          'where is the lighthouse of the other project?',
          'Elsewhere.',
        ),
      },
    });
    ada.share({ level: 'text' });
    push(ada);
    const temp = temporaryFolder(context);
    const client = new Client({ name: 'test', version: '1' });
    const env = { ...cleanEnv(), CLEW_HOME: path.join(temp, 'home'), CLEW_STORE: store.addressOf('bob'), TMPDIR: temp };
    const args = [clew, 'mcp', '--store', '--person', 'ada'];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        env: { ...env, CLAUDE_PROJECT_DIR: here } as Record<string, string>,
        cwd: temp,
        stderr: 'pipe',
      }),
    );
    context.after(() => client.close());
    const call = async (name: string, values: Record<string, unknown>): Promise<string> => {
      const { content } = await client.callTool({ name, arguments: values });
      return (content as readonly { text: string }[])[0]?.text ?? '';
    };
    const readings = (): string => store.server.run('SELECT reader, action, session_id FROM clew.readings ORDER BY id');
    await client.listTools();
    assert.equal(readings(), '', 'nothing is read before the first question');

    const found = await call('search', { query: 'lighthouse' });
    assert.match(found, /why is the lighthouse dark/);
    assert.doesNotMatch(found, /other project/);
    const answer = await call('read', { reference: `clew:${id}` });
    assert.match(answer, /The lamp was broken/);
    assert.doesNotMatch(answer, /ghp_/);
    assert.equal(readings(), `bob|mcp|${id}\n`);

    ada.write({
      [`-home-dev-light/${changed}.jsonl`]: session(changed, here, 'did the new lamp arrive?', 'On Monday.'),
    });
    push(ada);
    assert.match(await call('search', { query: 'lamp arrive' }), /did the new lamp arrive/);
    assert.equal(readings(), `bob|mcp|${id}\nbob|mcp|${changed}\n`);

    ada.share({ level: 'metrics' });
    push(ada);
    assert.doesNotMatch(await call('search', { query: 'lighthouse lamp' }), /lamp arrive|lighthouse dark/);
    const copies = readdirSync(temp).filter((name) => name.startsWith('clew-store-'));
    assert.equal(copies.length, 1);
    assert.deepEqual(readdirSync(path.join(temp, copies[0] ?? '', 'projects')), []);
    await client.close();
    for (let tries = 0; existsSync(path.join(temp, copies[0] ?? '')) && tries < 100; tries++)
      await new Promise((done) => setTimeout(done, 50));
    assert.deepEqual(
      readdirSync(temp).filter((name) => name.startsWith('clew-store-')),
      [],
    );
  },
);
