// The connection of the real client and of Clew for the same variables and settings: which path, keys, headers and model
// a server on loopback gets, and whether it gets them from a proxy.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { openAgent } from '../../src/agent/agent.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { installClient, startSession } from './client.ts';
import { startDirectApi } from './direct-api.ts';

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
  readonly custom: string | undefined;
  readonly hasBeta: boolean;
  readonly model: string | undefined;
  readonly version: string | undefined;
}

async function startApi(t: TestContext): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = http.createServer(async (request, response) => {
    const raw = await readText(request);
    const body = asObject(parseJson(raw)) ?? {};
    const { 'x-api-key': key, authorization, 'x-one': custom, 'anthropic-beta': betas } = request.headers;
    // The client signs each request with the time, and asks Bedrock for its models first.
    if (request.method === 'POST')
      asked.push({
        path: decodeURIComponent((request.url ?? '').split('?')[0] ?? ''),
        key: asString(key),
        authorization: authorization?.replace(/\/\d{8}\/.*/, ''),
        custom: asString(custom),
        hasBeta: /my-beta/.test(`${betas} ${JSON.stringify(body.anthropic_beta ?? '')}`),
        model: asString(body.model),
        version: asString(body.anthropic_version),
      });
    response.writeHead(400, { 'content-type': 'application/json', 'x-should-retry': 'false' });
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"no"},"message":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

interface Case {
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: JsonObject;
  readonly model?: string;
}

const url = 'http://127.0.0.1:PORT';
const key = { ANTHROPIC_API_KEY: 'the-key', ANTHROPIC_BASE_URL: url };
const token = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: 'the-token', ANTHROPIC_BASE_URL: url };
const none = { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: url };
const bedrock = {
  ...{
    ANTHROPIC_API_KEY: '',
    CLAUDE_CODE_USE_BEDROCK: '1',
    AWS_REGION: 'eu-west-1',
    CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1',
  },
  ANTHROPIC_BEDROCK_BASE_URL: url,
};
const vertex = {
  ...{
    ANTHROPIC_API_KEY: '',
    CLAUDE_CODE_USE_VERTEX: '1',
    CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
    CLOUD_ML_REGION: 'us-east5',
  },
  ...{ ANTHROPIC_VERTEX_PROJECT_ID: 'proj', ANTHROPIC_VERTEX_BASE_URL: `${url}/v1` },
};
const foundry = {
  ...{ ANTHROPIC_API_KEY: '', CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_API_KEY: 'foundry-key' },
  ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
};
const cases: Readonly<Record<string, Case>> = {
  'a key': { env: key },
  'a token': { env: token },
  'a key and a token': { env: { ...key, ANTHROPIC_AUTH_TOKEN: 'the-token' } },
  'a helper': { env: none, settings: { apiKeyHelper: 'echo "  helper-key "' } },
  'a helper and a token': { env: token, settings: { apiKeyHelper: 'echo helper-key' } },
  'a helper and a key': { env: key, settings: { apiKeyHelper: 'echo helper-key' } },
  'settings instead of the environment': {
    env: { ANTHROPIC_API_KEY: '', ANTHROPIC_MODEL: 'claude-opus-4-8' },
    settings: { env: { ...key, ANTHROPIC_MODEL: 'claude-sonnet-5' }, model: 'haiku' },
  },
  'headers and betas': {
    env: {
      ...key,
      ANTHROPIC_CUSTOM_HEADERS: 'no header\nX-One: 1: 2\nAuthorization: mine',
      ANTHROPIC_BETAS: 'my-beta',
    },
  },
  'a pinned alias': { env: { ...key, ANTHROPIC_DEFAULT_OPUS_MODEL: 'my-opus' } },
  Bedrock: { env: bedrock },
  'Sonnet on Bedrock': { env: bedrock, model: 'sonnet' },
  'Bedrock with its own key': {
    env: { ...bedrock, CLAUDE_CODE_SKIP_BEDROCK_AUTH: '', AWS_BEARER_TOKEN_BEDROCK: 'aws-key' },
    model: 'claude-opus-4-6',
  },
  'Vertex AI': { env: vertex },
  'Haiku on Vertex AI': { env: vertex, model: 'haiku' },
  Foundry: { env: foundry },
};

async function askWithClew(t: TestContext, env: NodeJS.ProcessEnv, settings: JsonObject, model: string | undefined) {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, 'project'));
  writeTree(folder, { 'claude/settings.json': JSON.stringify(settings) });
  const agent = await openAgent({
    cwd: path.join(folder, 'project'),
    root: path.join(folder, 'claude'),
    env: { PATH: process.env.PATH, HOME: folder, CLEW_HOME: path.join(folder, 'state'), ...env },
    session: { kind: 'new' },
    ...(model === undefined ? {} : { model }),
    isInteractive: false,
    isProjectTrusted: true,
    approve: async () => ({ kind: 'deny', message: 'no', isInterrupt: false }),
    askUser: async () => undefined,
    sinks: [],
  });
  const ended = await agent.prompt('hi');
  await agent.close('exit');
  return ended;
}

for (const [name, { env = {}, settings = {}, model }] of Object.entries(cases)) {
  test(`the same request for ${name}`, async (t) => {
    const cli = await installClient('2.1.325');
    const first = async (run: (fill: <T>(value: T) => T) => Promise<unknown>): Promise<Asked | undefined> => {
      const api = await startApi(t);
      await run((value) => JSON.parse(JSON.stringify(value).replaceAll('PORT', String(api.port))));
      return api.asked.find(({ path: asked }) => !asked.endsWith('/invoke'));
    };
    const expected = await first((fill) =>
      startSession({
        cli,
        prompt: 'hi',
        args: model === undefined ? [] : ['--model', model],
        env: fill(env),
        prepare: (home) => {
          mkdirSync(path.join(home, '.claude'), { recursive: true });
          writeFileSync(path.join(home, '.claude', 'settings.json'), JSON.stringify(fill(settings)));
        },
      }),
    );
    const actual = await first((fill) => askWithClew(t, fill(env), fill(settings), model));
    assert.ok(expected, 'the client asked');
    assert.deepEqual(actual, expected);
  });
}

test('as api.anthropic.com, over TLS through a proxy, with an authority from the settings', async (t) => {
  const api = await startDirectApi({});
  t.after(() => api.close());
  const ended = await askWithClew(t, { ANTHROPIC_API_KEY: 'k' }, { env: { ...api.env } }, undefined);
  assert.equal(ended.outcome, 'success', ended.error?.message);
  const { NODE_EXTRA_CA_CERTS: _, ...without } = api.env;
  const refused = await askWithClew(t, { ANTHROPIC_API_KEY: 'k', CLEW_MAX_RETRIES: '0' }, { env: without }, undefined);
  assert.match(
    refused.error?.message ?? '',
    /^api\.anthropic\.com cannot be reached \(through the proxy .*(?:CERT|SIGNATURE|SELF_SIGNED)/,
  );
});
