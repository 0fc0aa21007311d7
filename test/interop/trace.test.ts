// The real client with the hooks of `clew trace install`, running scripted turns against the mock API: when it has ended,
// the receiver holds the tree that the script makes, once.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isSending } from '../../src/trace/outbox/send.ts';
import { tracePlaces } from '../../src/trace/state/places.ts';
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

test('the ids on our spans are those of the client’s own events and spans', async (context) => {
  const own = await startOtlpCapture(context);
  const { receiver, options, arrived } = await startTracing(context, '2.1.325');
  const telemetry = {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: own.url,
  };
  const env = { ...options.env, ...telemetry };
  const run = await startSession({ ...options, env, prompt: 'Look around. [[tools]]' });
  assert.equal(run.exitCode, 0, run.stderr);
  await arrived(20);
  const ours = (key: string) => valuesOf(receiver.spans.map(({ attributes }) => attributes[key]));
  const events = own.records('logs');
  const theirs = (name: string, key: string) =>
    valuesOf(events.filter((event) => event['event.name'] === name).map((event) => event[key]));
  assert.deepEqual(ours('prompt.id'), theirs('user_prompt', 'prompt.id'));
  assert.equal(ours('prompt.id').length, 1);
  // The client ends before it has sent all of its own, and asks for more than is in the transcript (titles).
  const common = (key: string, found: readonly unknown[]) => ours(key).filter((id) => found.includes(id)).length;
  const calls = theirs('tool_result', 'tool_use_id');
  assert.deepEqual([common('tool_use_id', calls), calls.length >= 3], [calls.length, true]);
  assert.ok(common('request_id', theirs('api_request', 'request_id')) >= 3);
  const spans = own.records('traces');
  for (const key of ['request_id', 'tool_use_id']) {
    const found = valuesOf(spans.map((span) => span[key]));
    assert.ok(common(key, found) >= 3, `${key}: ${JSON.stringify([ours(key), found])}`);
  }
});

function valuesOf(values: readonly unknown[]): readonly unknown[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}

type Attributes = Readonly<Record<string, unknown>>;

/** A server that keeps the attributes of all log records and spans in OTLP JSON. */
async function startOtlpCapture(context: TestContext) {
  const bodies: { readonly path: string; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      bodies.push({ path: request.url ?? '', body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const records = (signal: 'logs' | 'traces'): readonly Attributes[] =>
    bodies.filter((each) => each.path === `/v1/${signal}`).flatMap(({ body }) => attributesIn(JSON.parse(body)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, records };
}

interface OtlpRecord {
  readonly attributes?: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

function attributesIn(request: {
  readonly resourceLogs?: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly OtlpRecord[] }[] }[];
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpRecord[] }[] }[];
}): readonly Attributes[] {
  const logs = (request.resourceLogs ?? []).flatMap((each) => each.scopeLogs.flatMap((scope) => scope.logRecords));
  const spans = (request.resourceSpans ?? []).flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans));
  return [...logs, ...spans].map(({ attributes = [] }) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
  );
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
    const printed = jsonOf(['trace', 'install', '--json', '--root', root], { env: { ...env, PATH } });
    const { examples, ...installed } = printed as { readonly examples: readonly unknown[] };
    assert.equal(examples.length, 1);
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
