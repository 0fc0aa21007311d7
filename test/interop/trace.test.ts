// The real client with the hooks of `clew trace install`, running scripted turns against the mock API: when it has ended,
// the receiver holds the tree that the script makes, once.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { tracePlaces } from '../../src/trace/places.ts';
import { isSending } from '../../src/trace/send.ts';
import { jsonOf } from '../support/clew.ts';
import { homeFor, traceEnv } from '../support/trace-kit.ts';
import { type ReceivedSpan, repeated, startReceiver } from '../support/trace-receiver.ts';
import { waitFor } from '../support/wait.ts';
import { resume, startSession } from './client.ts';
import { clientOf } from './live.ts';
import { scenarioScripts } from './scripts.ts';

const workspace = { 'README.md': '# My Project\n\nA widget CLI.\n', 'src/index.js': 'export const widget = 1;\n' };
const events = ['Stop', 'SessionEnd', 'SessionStart'];

for (const version of ['2.1.45', '2.1.325']) {
  test(`${version}: a turn with tools arrives as the tree that was spoken`, async (context) => {
    const spans = await traceLive(context, version, 'Look around. [[tools]]');
    const [turn, ...others] = treeOf(spans);
    assert.deepEqual(others, []);
    const tasks =
      version === '2.1.45'
        ? [['TodoWrite'], ['TodoWrite']]
        : [
            ['TaskCreate', 'TaskCreate'],
            ['TaskUpdate', 'TaskList'],
          ];
    const calls = [
      ['Read', 'Glob', 'Grep'],
      ['Bash'],
      ['Write'],
      ['Edit'],
      ...tasks,
      ['Bash', 'Read', 'Edit'],
      ['Read', 'NoSuchTool'],
      [],
    ];
    assert.deepEqual(turn, {
      what: 'agent Turn 1',
      below: calls.map((names) => ({
        what: 'generation',
        below: names.map((name) => ({ what: `tool ${name}`, below: [] })),
      })),
    });
  });

  test(`${version}: sub-agents hang below the calls that started them`, async (context) => {
    const spans = await traceLive(context, version, 'Ask the helpers. [[agent]]');
    const leaf = (what: string) => ({ what, below: [] });
    const helper = (tool: string) => ({
      what: `tool ${version === '2.1.45' ? 'Task' : 'Agent'}`,
      below: [
        {
          what: 'agent Subagent: general-purpose',
          below: [{ what: 'generation', below: [leaf(`tool ${tool}`)] }, leaf('generation')],
        },
      ],
    });
    assert.deepEqual(treeOf(spans), [
      {
        what: 'agent Turn 1',
        below: [{ what: 'generation', below: [helper('Bash'), helper('Read')] }, leaf('generation')],
      },
    ]);
  });

  test(`${version}: a resumed session brings its new turn only, from another place and after each Stop`, async (context) => {
    const live = await startTracing(context, version);
    const first = await startSession({ ...live.options, prompt: 'Say hello. [[plain]]' });
    await live.arrived(2);
    const sessionId =
      Object.keys(first.files)
        .find((name) => /^[^/]+\.jsonl$/.test(name))
        ?.slice(0, -'.jsonl'.length) ?? '';
    await resume({ ...live.options, prompt: 'Go on. [[second]]', files: first.files, sessionId });
    await live.arrived(4);
    assert.deepEqual(treeOf(live.receiver.spans), [
      { what: 'agent Turn 1', below: [{ what: 'generation', below: [] }] },
      { what: 'agent Turn 2', below: [{ what: 'generation', below: [] }] },
    ]);
  });
}

async function traceLive(context: TestContext, version: string, prompt: string): Promise<readonly ReceivedSpan[]> {
  const { receiver, options, arrived } = await startTracing(context, version);
  const run = await startSession({ ...options, prompt });
  assert.equal(run.exitCode, 0, run.stderr);
  await arrived(2);
  return receiver.spans;
}

async function startTracing(context: TestContext, version: string) {
  const cli = await clientOf(version);
  const receiver = await startReceiver(context);
  const { HOME: _, ...env } = traceEnv(homeFor(context), receiver.url);
  const prepare = (clientHome: string): void => {
    const root = path.join(clientHome, '.claude');
    const PATH = `${path.dirname(cli)}${path.delimiter}${env.PATH}`;
    const installed = jsonOf(['trace', 'install', '--json', '--root', root], { env: { ...env, PATH } });
    const settings = path.join(root, 'settings.json');
    assert.deepEqual(installed, { settings, client: version, events, changed: true, backup: null });
  };
  const args = ['--dangerously-skip-permissions'];
  const options = { cli, workspace, scripts: scenarioScripts, args, env: tracing(env), prepare };
  const places = tracePlaces(env);
  /** At least so many spans, and the sender is done. */
  const arrived = async (count: number): Promise<void> => {
    await waitFor(
      () => receiver.spans.length >= count,
      () => JSON.stringify(receiver.spans),
    );
    await waitFor(() => !isSending(places, 'default'));
    assert.deepEqual(repeated(receiver.spans), {});
  };
  return { receiver, options, arrived };
}

/** Only what the tracer needs: the client's environment stays as bare as it is. */
function tracing(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('CLEW_')));
}

interface Node {
  readonly what: string;
  readonly below: readonly Node[];
}

function treeOf(spans: readonly ReceivedSpan[], parent?: string): readonly Node[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .map(({ spanId, name, attributes }) => {
      const type = String(attributes['langfuse.observation.type']);
      return { what: type === 'generation' ? type : `${type} ${name}`, below: treeOf(spans, spanId) };
    });
}
