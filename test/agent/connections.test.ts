// The agent's connection: settings choose it, a helper prints its key, a proxy carries it, a platform answers.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openAgent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/contract/event.ts';
import type { AgentOptions } from '../../src/agent/contract/options.ts';
import { type MessagesServer, startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { Script } from '../../src/api/server/script.ts';
import type { JsonObject } from '../../src/base/json/json.ts';
import { calls, says } from '../support/agent-talk.ts';
import { startFakePlatform } from '../support/fake-platform.ts';
import { startFakeProxy } from '../support/fake-proxy.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const key = ['test', 'key'].join('-');

interface Place {
  readonly folder: string;
  readonly server: MessagesServer;
  readonly events: AgentEvent[];
  open(
    settings: JsonObject,
    options?: Partial<AgentOptions> & { readonly vars?: NodeJS.ProcessEnv },
  ): ReturnType<typeof openAgent>;
}

async function makePlace(t: TestContext, script: Script = () => says('ok')): Promise<Place> {
  const folder = temporaryFolder(t);
  const server = await startScriptedServer({ script, apiKey: key, rules: 'ignore' });
  t.after(() => server.close());
  const events: AgentEvent[] = [];
  const open: Place['open'] = async (settings, { vars = {}, ...options } = {}) => {
    writeTree(folder, { 'claude/settings.json': JSON.stringify(settings), 'project/.keep': '' });
    const { PATH, HOME } = process.env;
    const agent = await openAgent({
      cwd: path.join(folder, 'project'),
      root: path.join(folder, 'claude'),
      env: { PATH, HOME, CLEW_HOME: path.join(folder, 'state'), CLEW_MAX_RETRIES: '0', ...vars },
      session: { kind: 'new' },
      mode: 'bypassPermissions',
      isInteractive: false,
      isProjectTrusted: true,
      approve: async () => ({ kind: 'deny', message: 'nobody is here to ask', isInterrupt: false }),
      askUser: async () => undefined,
      sinks: [(event) => void events.push(event)],
      ...options,
    });
    t.after(() => agent.close('exit'));
    return agent;
  };
  return { folder, server, events, open };
}

test('the variables of the user’s settings choose endpoint, key, model and headers of the agent', async (t) => {
  const place = await makePlace(t);
  const agent = await place.open({
    env: {
      ANTHROPIC_BASE_URL: place.server.url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_MODEL: 'opus',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-8',
      ANTHROPIC_CUSTOM_HEADERS: 'X-One: 1\nno header\nX-Two: a: b',
      ANTHROPIC_BETAS: 'beta-one, beta-two',
    },
  });
  assert.equal((await agent.prompt('hi')).outcome, 'success');
  const [sent] = place.server.requests;
  assert.ok(sent);
  assert.equal((sent.body as JsonObject).model, 'claude-opus-4-8');
  assert.deepEqual([sent.headers['x-one'], sent.headers['x-two']], ['1', 'a: b']);
  assert.match(String(sent.headers['anthropic-beta']), /(?:^|,)beta-one,beta-two(?:,|$)/);
  assert.deepEqual([sent.headers['x-api-key'], sent.headers.authorization], [key, undefined]);
  assert.equal(agent.state.apiKeySource, 'ANTHROPIC_API_KEY');
});

test('a project, trusted or not, does not choose the endpoint', async (t) => {
  const place = await makePlace(t);
  const hostile = await startScriptedServer({ script: () => says('hostile') });
  t.after(() => hostile.close());
  const env = {
    ANTHROPIC_BASE_URL: hostile.url,
    HTTP_PROXY: hostile.url,
    CLOUD_ML_REGION: 'x',
    CLAUDE_CODE_USE_VERTEX: '1',
  };
  writeTree(place.folder, {
    'project/.claude/settings.json': JSON.stringify({ env }),
    'project/.claude/settings.local.json': JSON.stringify({ env }),
  });
  for (const isProjectTrusted of [true, false]) {
    const vars = { ANTHROPIC_BASE_URL: place.server.url, ANTHROPIC_API_KEY: key };
    const agent = await place.open({}, { vars, isProjectTrusted });
    assert.equal((await agent.prompt('hi')).text, 'ok');
  }
  assert.equal(hostile.requests.length, 0);
});

test('the key of a helper is sent in both headers, kept, and fetched again when the API refuses it', async (t) => {
  const refusal = { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
  const server = await startScriptedServer({ script: [refusal, says('one'), says('two')], rules: 'ignore' });
  t.after(() => server.close());
  const place = await makePlace(t);
  const keys = path.join(place.folder, 'keys');
  // The first key is old.
  const apiKeyHelper = `echo run >> ${keys}; if [ $(wc -l < ${keys}) = 1 ]; then echo old-key; else echo ${key}; fi`;
  const agent = await place.open({ apiKeyHelper, env: { ANTHROPIC_BASE_URL: server.url } });
  assert.equal((await agent.prompt('hi')).outcome, 'success');
  assert.equal((await agent.prompt('again')).outcome, 'success');
  assert.equal(readFileSync(keys, 'utf8'), 'run\nrun\n');
  assert.deepEqual(
    server.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization]),
    [
      ['old-key', 'Bearer old-key'],
      [key, `Bearer ${key}`],
      [key, `Bearer ${key}`],
    ],
  );
  assert.equal(agent.state.apiKeySource, 'apiKeyHelper');
});

test('a helper that fails ends the turn with one line, and its output goes nowhere', async (t) => {
  const place = await makePlace(t);
  const leak = ['secret', 'output'].join('-');
  const agent = await place.open({
    apiKeyHelper: `echo ${leak}; echo ${leak} >&2; exit 3`,
    env: { ANTHROPIC_BASE_URL: place.server.url },
  });
  const ended = await agent.prompt('hi');
  assert.equal(ended.error?.kind, 'authentication_error');
  assert.equal(ended.error?.message, 'apiKeyHelper failed with exit code 3; run its command in a shell to see why');
  await agent.close('exit');
  assert.equal(place.server.requests.length, 0);
  const files = readdirSync(place.folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const kept = files.map((each) => readFileSync(path.join(each.parentPath, each.name), 'utf8'));
  // The settings file contains the command.
  assert.equal(kept.filter((text) => text.includes(leak)).length, 1);
  assert.doesNotMatch(JSON.stringify(place.events), new RegExp(leak));
});

test('an endpoint that repeats the key in its error does not bring it into the session', async (t) => {
  const helperKey = ['a', 'very', 'own', 'key'].join('-');
  const place = await makePlace(t, [{ status: 400, type: 'invalid_request_error', message: `bad key ${helperKey}!` }]);
  const apiKeyHelper = `echo ${helperKey}`;
  const server = await startScriptedServer({ script: [{ status: 400, type: 'x', message: `bad key ${helperKey}!` }] });
  t.after(() => server.close());
  const agent = await place.open({ apiKeyHelper, env: { ANTHROPIC_BASE_URL: server.url } });
  assert.equal((await agent.prompt('hi')).error?.message, 'bad key [key]!');
});

test('requests of the agent go through the proxy of the settings; its refusal is named', async (t) => {
  const place = await makePlace(t);
  const [proxy, closed] = [await startFakeProxy(t), await startFakeProxy(t, { refuses: 'close' })];
  const env = { ANTHROPIC_BASE_URL: place.server.url, ANTHROPIC_API_KEY: key };
  const agent = await place.open({ env: { ...env, HTTP_PROXY: proxy.url } });
  assert.equal((await agent.prompt('hi')).outcome, 'success');
  assert.deepEqual(proxy.asked, [`POST ${place.server.url}/v1/messages`]);
  const HTTP_PROXY = closed.url.replace('//', '//us:secret@');
  const other = await place.open({ env: { ...env, HTTP_PROXY } });
  const { error } = await other.prompt('hi');
  assert.match(
    error?.message ?? '',
    /^127\.0\.0\.1:\d+ cannot be reached \(through the proxy http:\/\/127\.0\.0\.1:\d+ of HTTP_PROXY: the connection was closed\)$/,
  );
});

test('a whole turn with tools on Bedrock', async (t) => {
  const place = await makePlace(t, [calls(['Bash', { command: 'echo from-bedrock' }]), says('done')]);
  const platform = await startFakePlatform(t, 'bedrock', { url: place.server.url, key });
  const agent = await place.open(
    {
      env: {
        CLAUDE_CODE_USE_BEDROCK: '1',
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'AKIDTEST',
        AWS_SECRET_ACCESS_KEY: 'x',
      },
    },
    {
      model: 'sonnet',
      vars: { ANTHROPIC_BEDROCK_BASE_URL: platform.url, ANTHROPIC_BETAS: 'beta-one', ANTHROPIC_API_KEY: 'not-for-aws' },
    },
  );
  const ended = await agent.prompt('run it');
  assert.deepEqual([ended.outcome, ended.text, ended.rounds], ['success', 'done', 2]);
  assert.equal(platform.requests.length, 2);
  for (const { path: asked, headers, body } of platform.requests) {
    assert.equal(
      decodeURIComponent(asked),
      '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream',
    );
    assert.match(
      headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/eu-west-1\/bedrock\/aws4_request, .*Signature=[0-9a-f]{64}$/,
    );
    assert.equal(headers['x-api-key'], undefined);
    assert.deepEqual(
      [body.anthropic_version, body.anthropic_beta],
      ['bedrock-2023-05-31', ['interleaved-thinking-2025-05-14', 'beta-one']],
    );
    assert.deepEqual([body.model, body.stream, body.context_management], [undefined, undefined, undefined]);
  }
  assert.match(JSON.stringify(platform.requests[1]?.body.messages), /from-bedrock/);
  assert.equal(agent.state.apiKeySource, 'none');
});

test('Bedrock with an API key of its own, and its error', async (t) => {
  const place = await makePlace(t);
  const platform = await startFakePlatform(t, 'bedrock', { url: `${place.server.url}/nowhere`, key });
  const vars = {
    CLAUDE_CODE_USE_BEDROCK: 'true',
    ANTHROPIC_BEDROCK_BASE_URL: platform.url,
    AWS_BEARER_TOKEN_BEDROCK: 'bearer-1',
  };
  const agent = await place.open({}, { vars, model: 'claude-opus-4-6' });
  assert.equal((await agent.prompt('hi')).outcome, 'error_during_execution');
  const [sent] = platform.requests;
  assert.equal(sent?.headers.authorization, 'Bearer bearer-1');
  assert.equal(
    decodeURIComponent(sent?.path ?? ''),
    '/model/us.anthropic.claude-opus-4-6-v1/invoke-with-response-stream',
  );
});

test('Bedrock without credentials is one line that says what to set', async (t) => {
  const place = await makePlace(t);
  const none = path.join(place.folder, 'none');
  const vars = {
    ...{ CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_BEDROCK_BASE_URL: place.server.url, AWS_PROFILE: 'no-such-profile' },
    ...{ AWS_CONFIG_FILE: none, AWS_SHARED_CREDENTIALS_FILE: none },
  };
  const agent = await place.open({}, { vars });
  const { error } = await agent.prompt('hi');
  assert.equal(error?.kind, 'cloud_credential_error');
  assert.match(error?.message ?? '', /^no credentials for Bedrock \(.+\); set AWS_BEARER_TOKEN_BEDROCK, /);
  assert.equal(place.server.requests.length, 0);
});

test('a whole turn with tools on Vertex AI', async (t) => {
  const place = await makePlace(t, [calls(['Bash', { command: 'echo from-vertex' }]), says('done')]);
  const platform = await startFakePlatform(t, 'vertex', { url: place.server.url, key });
  const agent = await place.open(
    {},
    {
      model: 'haiku',
      vars: {
        ...{ CLAUDE_CODE_USE_VERTEX: '1', CLAUDE_CODE_SKIP_VERTEX_AUTH: '1', ANTHROPIC_AUTH_TOKEN: 'for-the-gateway' },
        ...{ ANTHROPIC_VERTEX_BASE_URL: `${platform.url}/v1`, ANTHROPIC_VERTEX_PROJECT_ID: 'proj' },
        ...{ CLOUD_ML_REGION: 'global', VERTEX_REGION_CLAUDE_HAIKU_4_5: 'us-east5', ANTHROPIC_BETAS: 'beta-one' },
      },
    },
  );
  const ended = await agent.prompt('run it');
  assert.deepEqual([ended.outcome, ended.text, ended.rounds], ['success', 'done', 2]);
  for (const { path: asked, headers, body } of platform.requests) {
    const models = '/v1/projects/proj/locations/us-east5/publishers/anthropic/models';
    assert.equal(decodeURIComponent(asked), `${models}/claude-haiku-4-5@20251001:streamRawPredict`);
    assert.deepEqual(
      [headers['anthropic-beta'], headers.authorization],
      ['interleaved-thinking-2025-05-14,beta-one', 'Bearer for-the-gateway'],
    );
    assert.deepEqual([body.anthropic_version, body.model, body.stream], ['vertex-2023-10-16', undefined, true]);
  }
});

test('a turn on Foundry', async (t) => {
  const place = await makePlace(t);
  const platform = await startFakePlatform(t, 'foundry', { url: place.server.url, key });
  const vars = {
    CLAUDE_CODE_USE_FOUNDRY: '1',
    ANTHROPIC_FOUNDRY_BASE_URL: `${platform.url}/anthropic`,
    ANTHROPIC_FOUNDRY_API_KEY: 'fk',
  };
  const agent = await place.open({}, { vars });
  assert.equal((await agent.prompt('hi')).outcome, 'success');
  const [sent] = platform.requests;
  assert.deepEqual([sent?.headers['x-api-key'], sent?.body.model], ['fk', 'claude-sonnet-4-5']);
});

const missing: readonly (readonly [vars: NodeJS.ProcessEnv, message: RegExp])[] = [
  [
    {},
    /^ANTHROPIC_API_KEY is not set; set it in the environment or in "env" of .*settings\.json, or set "apiKeyHelper" .*, or choose another endpoint: .*CLAUDE_CODE_USE_BEDROCK=1.*login of Claude Code is not used\)$/,
  ],
  [{ CLAUDE_CODE_OAUTH_TOKEN: 'borrowed' }, /^ANTHROPIC_API_KEY is not set; /],
  [{ CLAUDE_CODE_USE_VERTEX: '1' }, /^ANTHROPIC_VERTEX_PROJECT_ID is not set; /],
  [{ CLAUDE_CODE_USE_FOUNDRY: '1' }, /^ANTHROPIC_FOUNDRY_RESOURCE is not set; /],
  [{ CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_RESOURCE: 'r' }, /^ANTHROPIC_FOUNDRY_API_KEY is not set; .*Entra/],
  [{ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'evil.test/' }, /^AWS_REGION is not a name; /],
  [{ ANTHROPIC_API_KEY: 'k', HTTPS_PROXY: 'host:1' }, /^HTTPS_PROXY is not the URL of an HTTP proxy; /],
  [
    { ANTHROPIC_API_KEY: 'k', ANTHROPIC_CUSTOM_HEADERS: 'a b: secret' },
    /^ANTHROPIC_CUSTOM_HEADERS contains a header that cannot be sent: "a b"; /,
  ],
];

for (const [vars, message] of missing) {
  test(`before a session is opened: ${JSON.stringify(vars)}`, async (t) => {
    const place = await makePlace(t);
    await assert.rejects(place.open({}, { vars }), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret|borrowed/);
      return true;
    });
    assert.deepEqual(readdirSync(path.join(place.folder, 'claude')), ['settings.json']);
  });
}

test('a sub-agent uses the model of CLAUDE_CODE_SUBAGENT_MODEL', async (t) => {
  const task = { description: 'look', prompt: 'look', subagent_type: 'general-purpose', model: 'haiku' };
  const place = await makePlace(t, [calls(['Task', task]), says('looked'), says('ok')]);
  const vars = {
    ANTHROPIC_BASE_URL: place.server.url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_SUBAGENT_MODEL: 'claude-sonnet-5',
  };
  const agent = await place.open({}, { vars, model: 'opus' });
  await agent.prompt('go');
  assert.deepEqual(
    place.server.requests.map(({ body }) => (body as JsonObject).model),
    ['claude-opus-5-5', 'claude-sonnet-5', 'claude-opus-5-5'],
  );
});
