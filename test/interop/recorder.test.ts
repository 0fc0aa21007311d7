// Sessions that our agent writes are resumed by the real clients, which send exactly the messages that we say: the ones
// our own agent would send, and `clew messages` prints.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSession } from '../../src/agent/session/open-session.ts';
import { rewind, rewindPoints } from '../../src/agent/session/rewind.ts';
import type { JsonObject } from '../../src/base/json/json.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { AgentRun, placeIn } from '../support/agent-run.ts';
import { runRandomly } from '../support/random-run.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { signature } from '../support/signature.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { assertPredicted, assertPredictedByOld } from './live.ts';
import { corpusRealCases, realCases } from './recordings.ts';

const current = '2.1.325';
const old = '2.1.45';
/** Known to both clients, so that neither drops the thinking. */
const model = 'claude-sonnet-4-5-20250929';
const concurrency = availableParallelism() + 1;

type Write = (run: AgentRun) => Promise<void>;

const sessions: Readonly<Record<string, Write>> = {
  'parallel tools, thinking, a sub-agent, a title and a queued prompt': async (run) => {
    await run.prompt('Look around');
    const thinking: JsonObject = { type: 'thinking', thinking: 'Let me see.', signature: signature(60) };
    await run.blocks([thinking, { type: 'text', text: 'I look.' }]);
    await run.calls(['Read', 'Bash', 'Grep', 'Edit']);
    const [callUuid = ''] = await run.blocks([
      { type: 'tool_use', id: 'toolu_a', name: 'Agent', input: { prompt: 'x' } },
    ]);
    await run.agent('toolu_a', 'a0a1b2c');
    const call = { id: 'toolu_a', name: 'Agent', input: { prompt: 'x' } };
    const outcome = { content: [{ type: 'text', text: 'found' }], isError: false, stored: { agentId: 'a0a1b2c' } };
    await run.emit({ type: 'queued', text: 'And more' });
    await run.emit({ type: 'result', uuid: crypto.randomUUID(), call, callUuid, outcome });
    await run.emit({ type: 'unqueued', operation: 'dequeue', text: 'And more' });
    await run.prompt('And more');
    await run.answer('All seen.');
    await run.session.recorder.rename('widget work');
    await run.endTurn();
  },
  'retries, an abandoned answer and a request that failed': async (run) => {
    await run.prompt('Hello');
    await run.retry();
    const half: JsonObject = { type: 'tool_use', id: 'toolu_half', name: 'Read', input: {} };
    await run.blocks([{ type: 'text', text: 'Half an' }, half], undefined, 'msg_half');
    await run.abandon('msg_half');
    await run.retry();
    await run.answer('A whole answer.');
    await run.endTurn();
    await run.prompt('Once more');
    await run.retry();
    await run.fail();
    await run.endTurn();
    await run.turn('And again', 'It works now.');
  },
  'interrupts in text and in a tool': async (run) => {
    await run.prompt('Write a long text');
    await run.answer('It begins');
    await run.interrupt('text');
    await run.endTurn();
    await run.prompt('Run it');
    await run.calls(['Bash', 'Read'], undefined, '[Request interrupted by user for tool use]');
    await run.interrupt('tool');
    await run.endTurn();
    await run.turn('Now what?', 'Nothing.');
  },
  'a compaction between turns and one in a turn': async (run) => {
    await run.turn('One', 'First.');
    await run.compact('What came first.');
    await run.prompt('Two');
    await run.calls(['Read', 'Read']);
    await run.compact('What came first and second.');
    await run.prompt('Go on.', undefined, true);
    await run.answer('Second.');
    await run.endTurn();
    await run.turn('Three', 'Third.');
  },
  'a chat that went back to an earlier prompt': async (run) => {
    await run.turn('One', 'First.');
    await run.turn('Two', 'Second.');
    await run.turn('Three', 'Third.');
    const [, second] = await rewindPoints(run.session);
    assert.ok(second !== undefined);
    await rewind(run.session, second, 'chat');
  },
};

for (const version of [current, old]) {
  test(`${version} resumes what our agent writes as we predict`, { concurrency }, async (t) => {
    const cases = [...Object.entries(sessions), ...[3, 8].map((seed) => [`random ${seed}`, randomly(seed)] as const)];
    await Promise.all(
      cases.map(([name, write]) =>
        t.test(name, async (context) => {
          for (const withProgressEntries of name.startsWith('parallel') ? [false, true] : [true]) {
            const file = await written(context, write, withProgressEntries);
            await (version === current ? assertPredicted(version, file) : assertPredictedByOld(old, file));
          }
        }),
      ),
    );
  });
}

test('a session of a real client is continued by ours and then by the client', { concurrency }, async (t) => {
  const files = [...realCases(), ...corpusRealCases()].map(({ file }) => file);
  const wanted = [
    '2.0.50/agent',
    '2.1.45/tui',
    '2.1.150/compact',
    '2.1.325/tools',
    '2.1.325/tui-tools',
    '2.1.325/kill',
  ];
  const chosen = wanted.flatMap((name) => files.find((file) => file.includes(`/${name}`)) ?? []);
  assert.ok(chosen.length >= 6, `only ${chosen.join(', ')}`);
  await Promise.all(
    chosen.map((file) =>
      t.test(file.slice(-70), async (context) => {
        const place = placeIn(temporaryFolder(context));
        const folder = path.join(place.root, 'projects', encodeSlug(place.cwd));
        mkdirSync(folder, { recursive: true });
        mkdirSync(place.cwd, { recursive: true });
        cpSync(file, path.join(folder, path.basename(file)));
        const session = path.basename(file, '.jsonl');
        const run = new AgentRun(await openSession({ kind: 'resume', session }, place), model);
        await run.prompt('Continued by another program');
        await run.calls(['Read', 'Grep']);
        await run.answer('Done there.');
        await run.endTurn();
        await run.close();
        const request = requestMessages(await loadSession(run.session.file));
        assert.match(JSON.stringify(request), /Continued by another program.*Done there/);
        await assertPredicted(current, run.session.file);
      }),
    ),
  );
});

function randomly(seed: number): Write {
  return async (run) => {
    await runRandomly(run, seededRandom(seed), 4);
    await run.turn('The end', 'Good bye.');
  };
}

async function written(context: TestContext, write: Write, withProgressEntries: boolean): Promise<string> {
  const place = placeIn(temporaryFolder(context), { withProgressEntries });
  mkdirSync(place.cwd, { recursive: true });
  const run = new AgentRun(await openSession({ kind: 'new' }, place), model);
  await write(run);
  await run.close();
  const request = requestMessages(await loadSession(run.session.file));
  assert.deepEqual(request, run.session.recorder.resumed());
  return run.session.file;
}
