// Where traces go and which: the environment's many names, the file for several destinations, and errors that name the
// setting and never its value.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isTraced, readTraceConfig } from '../../../src/trace/config/config.ts';
import type { Destination } from '../../../src/trace/config/destinations.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

function configOf(context: TestContext, env: Readonly<Record<string, string>>, file?: object) {
  const folder = temporaryFolder(context);
  if (file !== undefined) writeTree(folder, { 'trace.json': JSON.stringify(file) });
  return readTraceConfig({ HOME: folder, CLEW_HOME: folder, ...env });
}

const plain: Destination = {
  name: 'default',
  profile: 'genai',
  url: 'http://127.0.0.1:4318/v1/traces',
  headers: {},
  format: 'protobuf',
  content: 'full',
  isRedacted: true,
  hasThinking: false,
  project: undefined,
  timeoutMs: 60_000,
};

test('without any setting there is no destination', (context) => {
  assert.deepEqual(configOf(context, {}).destinations, []);
  // People have these keys for programs of their own.
  assert.deepEqual(configOf(context, { LANGFUSE_PUBLIC_KEY: 'p', LANGFUSE_SECRET_KEY: 's' }).destinations, []);
});

test('an endpoint is enough: the path is added, and the profile guessed from it', (context) => {
  const at = (endpoint: string) => configOf(context, { CLEW_TRACE_ENDPOINT: endpoint }).destinations[0];
  assert.deepEqual(at('http://127.0.0.1:4318'), plain);
  assert.equal(at('http://127.0.0.1:4318/v1/traces')?.url, plain.url);
  const phoenix = at('http://127.0.0.1:6006/');
  assert.deepEqual([phoenix?.profile, phoenix?.url], ['openinference', 'http://127.0.0.1:6006/v1/traces']);
  const langfuse = at('https://cloud.langfuse.com');
  assert.deepEqual(
    [langfuse?.profile, langfuse?.url],
    ['langfuse', 'https://cloud.langfuse.com/api/public/otel/v1/traces'],
  );
});

test('Langfuse by the names people have, those of cc-langfuse first', (context) => {
  const { destinations } = configOf(context, {
    TRACE_TO_LANGFUSE: 'true',
    LANGFUSE_PUBLIC_KEY: 'other',
    CC_LANGFUSE_PUBLIC_KEY: 'pk',
    LANGFUSE_SECRET_KEY: 'sk',
    LANGFUSE_BASE_URL: 'https://lf.example',
  });
  const headers = {
    'x-langfuse-ingestion-version': '4',
    authorization: `Basic ${Buffer.from('pk:sk').toString('base64')}`,
  };
  const url = 'https://lf.example/api/public/otel/v1/traces';
  assert.deepEqual(destinations, [{ ...plain, name: 'langfuse', profile: 'langfuse', url, headers }]);
});

test('the variables of OpenTelemetry apply if nothing else names a destination', (context) => {
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, x-two=2',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  };
  const [found] = configOf(context, otel).destinations;
  const headers = { 'x-key': 'a b', 'x-two': '2' };
  const url = 'http://collector:4318/v1/traces';
  assert.deepEqual(found, { ...plain, name: 'otel', url, headers, format: 'json', content: 'metadata' });
  const both = configOf(context, { ...otel, CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:4318' });
  assert.deepEqual(both.destinations, [plain]);
  assert.deepEqual(configOf(context, { ...otel, OTEL_TRACES_EXPORTER: 'none' }).destinations, []);
  assert.deepEqual(configOf(context, { ...otel, CLEW_TRACE: 'off' }).destinations, []);
});

test('the file names several destinations, with keys from the environment', (context) => {
  const file = {
    destinations: [
      { name: 'lf', profile: 'langfuse', endpoint: 'https://lf.example', headers: { Authorization: 'Basic $LF_KEY' } },
      {
        name: 'phx',
        profile: 'openinference',
        endpoint: 'http://p:6006',
        content: 'metadata',
        redact: false,
        project: 'mine',
      },
    ],
  };
  const { destinations } = configOf(context, { LF_KEY: 'abc' }, file);
  assert.deepEqual(
    destinations.map(({ name, headers, content, isRedacted, project }) => ({
      name,
      headers,
      content,
      isRedacted,
      project,
    })),
    [
      {
        name: 'lf',
        headers: { 'x-langfuse-ingestion-version': '4', authorization: 'Basic abc' },
        content: 'full',
        isRedacted: true,
        project: undefined,
      },
      { name: 'phx', headers: {}, content: 'metadata', isRedacted: false, project: 'mine' },
    ],
  );
});

test('a variable that is set to nothing is not set', (context) => {
  const empty = {
    CLEW_TRACE_ENDPOINT: '',
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    TRACE_TO_LANGFUSE: '',
    CLEW_TRACE_CONTENT: '',
  };
  assert.deepEqual(configOf(context, empty), configOf(context, {}));
  const [destination] = configOf(context, { ...empty, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }).destinations;
  assert.deepEqual([destination?.name, destination?.url], ['otel', 'http://x/v1/traces']);
});

test('a settings file that cannot be read is not taken for none', (context) => {
  const home = temporaryFolder(context);
  writeTree(home, { 'trace.json/x': '' });
  assert.throws(
    () => readTraceConfig({ CLEW_HOME: home }),
    /trace\.json cannot be read; make it readable, or remove it$/,
  );
});

test('what is wrong is named, and no secret is', (context) => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp, object?])[] = [
    [{ CLEW_TRACE_ENDPOINT: 'collector:4318' }, /^the endpoint of "default" is not an http\(s\) address/],
    [{ CLEW_TRACE_ENDPOINT: 'https://me:hush@x' }, /^the endpoint of "default" has a user name or password/],
    [
      { CLEW_TRACE_ENDPOINT: 'http://x', CLEW_TRACE_PROFILE: 'jaeger' },
      /^the profile of default must be one of langfuse, genai/,
    ],
    [
      { CLEW_TRACE_ENDPOINT: 'http://x', CLEW_TRACE_FORMAT: 'xml' },
      /^the format of default must be one of protobuf, json/,
    ],
    [{ CLEW_TRACE_ENDPOINT: 'http://x', CLEW_TRACE_REDACT: 'maybe' }, /^CLEW_TRACE_REDACT must be on or off/],
    [
      { CLEW_TRACE_ENDPOINT: 'http://x', CLEW_TRACE_HEADERS: 'hush' },
      /^CLEW_TRACE_HEADERS is not a list of NAME=VALUE/,
    ],
    [{ CLEW_TRACE_ENDPOINT: 'http://x', CLEW_TRACE_HEADERS: 'a=hush%0Ab' }, /^CLEW_TRACE_HEADERS has a header value/],
    [{ TRACE_TO_LANGFUSE: 'true', LANGFUSE_SECRET_KEY: 'hush' }, /^the keys of Langfuse are missing/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /is grpc, which Clew does not support/,
    ],
    ...['soon', '0', '-5', '1.5'].map((value): readonly [Record<string, string>, RegExp] => [
      { CLEW_TRACE_ENDPOINT: 'http://x', OTEL_EXPORTER_OTLP_TIMEOUT: value },
      /^OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds; write it like 60000$/,
    ]),
    [{}, /^destination "file" in trace.json has no "endpoint"/, { destinations: [{}] }],
    [
      {},
      /needs NO_SUCH_KEY, which is not set/,
      { destinations: [{ endpoint: 'http://x', headers: { a: '$NO_SUCH_KEY' } }] },
    ],
    [
      {},
      /^two destinations have the name "a"/,
      {
        destinations: [
          { name: 'a', endpoint: 'http://x' },
          { name: 'a', endpoint: 'http://y' },
        ],
      },
    ],
    // A slip must not send more than was wanted.
    [
      {},
      /^destination "file" in trace.json has an unknown setting "contents"; use one of name, profile, endpoint, headers, format, content, redact, thinking, project, cost$/,
      { destinations: [{ endpoint: 'http://x', contents: 'metadata' }] },
    ],
    [
      {},
      /^"content" of destination "file" in trace.json is not a string/,
      { destinations: [{ content: ['metadata'] }] },
    ],
    [{}, /^"redact" of destination "file" in trace.json is not true or false/, { destinations: [{ redact: 'on' }] }],
    [
      {},
      /^the header "a" of destination "file" in trace.json is not a string/,
      { destinations: [{ endpoint: 'http://x', headers: { a: 7 } }] },
    ],
    [{}, /^trace.json has an unknown setting "project"; use one of destinations, projects,/, { project: ['!x'] }],
    [{}, /^trace.json has an unknown setting "__proto__"/, JSON.parse('{"__proto__":{}}') as object],
    [{}, /^"destinations" of trace.json is not a list/, { destinations: {} }],
    [
      {},
      /^"\.\.\/up" is not a valid name for a destination/,
      { destinations: [{ name: '../up', endpoint: 'http://x' }] },
    ],
  ];
  for (const [env, message, file] of cases) {
    assert.throws(
      () => configOf(context, env, file),
      (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hush/);
        return error.name === 'UserError';
      },
    );
  }
});

test('projects are taken in and left out by folder, the last word counts', (context) => {
  const traced = (projects: string, cwd: string | undefined) =>
    isTraced(configOf(context, { CLEW_TRACE_PROJECTS: projects }), cwd);
  assert.equal(traced('', '/home/kim/a'), true);
  assert.equal(traced('/home/kim/work', '/home/kim/work/deep/er'), true);
  assert.equal(traced('/home/kim/work', '/home/kim/workshop'), false);
  assert.equal(traced('/home/kim/work,!/home/kim/work/secret', '/home/kim/work/secret/x'), false);
  assert.equal(traced('!/home/kim/work,/home/kim/work/open', '/home/kim/work/open'), true);
  assert.equal(traced('!*-private', '/home/kim/tax-private/x'), false);
  assert.equal(traced('!*-private', path.join('/home/kim')), true);
  assert.equal(traced('/home/*/work', '/home/kim/work'), true);
  assert.equal(traced('/home/kim/work', undefined), false);
});
