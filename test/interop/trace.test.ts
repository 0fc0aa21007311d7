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
import { startSession } from './client.ts';
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
}

async function traceLive(context: TestContext, version: string, prompt: string): Promise<readonly ReceivedSpan[]> {
  const cli = await clientOf(version);
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const { HOME: _, ...env } = traceEnv(home, receiver.url);
  const run = await startSession({
    cli,
    prompt,
    workspace,
    scripts: scenarioScripts,
    args: ['--dangerously-skip-permissions'],
    env: { ...tracing(env) },
    prepare: (clientHome) => {
      const root = path.join(clientHome, '.claude');
      const PATH = `${path.dirname(cli)}${path.delimiter}${env.PATH}`;
      const installed = jsonOf(['trace', 'install', '--json', '--root', root], { env: { ...env, PATH } });
      assert.deepEqual(installed, {
        settings: path.join(root, 'settings.json'),
        client: version,
        events,
        changed: true,
        backup: null,
      });
    },
  });
  assert.equal(run.exitCode, 0, run.stderr);
  const places = tracePlaces(env);
  await waitFor(
    () => receiver.spans.some(({ parentSpanId }) => parentSpanId === undefined),
    () => JSON.stringify({ log: places.log, stderr: run.stderr }),
  );
  await waitFor(() => !isSending(places));
  assert.deepEqual(repeated(receiver.spans), {});
  return receiver.spans;
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
