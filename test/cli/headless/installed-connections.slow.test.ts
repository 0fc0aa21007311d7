// The connections of the built command: what it loads only when a connection asks for it works in the bundle too. Every
// other test of connections runs the sources.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { cleanEnv } from '../../support/clew.ts';
import { clew } from '../../support/dist.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

/** A proxy and an endpoint in one: notes what it is asked for, and refuses it in a way that is not tried again. */
async function startEndpoint(t: TestContext) {
  const asked: { readonly url: string; readonly authorization: string; readonly proxyAuthorization: string }[] = [];
  const server = createServer((request, response) => {
    const { authorization = '', 'proxy-authorization': proxyAuthorization = '' } = request.headers;
    asked.push({ url: request.url ?? '', authorization, proxyAuthorization });
    response.writeHead(400, { 'content-type': 'application/json', 'x-should-retry': 'false' });
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"REFUSED"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

async function ask(
  t: TestContext,
  env: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
) {
  const folder = temporaryFolder(t);
  const [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'project')];
  mkdirSync(cwd, { recursive: true });
  writeTree(home, files);
  const child = spawn(process.execPath, [clew, '-p', 'hello', '--model', 'claude-sonnet-4-5-20250929'], {
    cwd,
    env: { ...cleanEnv(), HOME: home, CLEW_HOME: path.join(folder, 'state'), CLEW_MAX_RETRIES: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [, errors] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  assert.match(errors, /REFUSED/);
}

test('a request goes through the proxy, with its password, unless NO_PROXY names the host', async (t) => {
  const { port, asked } = await startEndpoint(t);
  const proxied = { ANTHROPIC_API_KEY: 'k', HTTP_PROXY: `http://u:p@127.0.0.1:${port}` };
  await ask(t, { ...proxied, ANTHROPIC_BASE_URL: 'http://api.nowhere.invalid' });
  await ask(t, { ...proxied, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/own`, NO_PROXY: '127.0.0.1' });
  const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;
  assert.deepEqual(
    asked.map(({ url, proxyAuthorization }) => [url, proxyAuthorization]),
    [
      ['http://api.nowhere.invalid/v1/messages', basic],
      ['/own/v1/messages', ''],
    ],
  );
});

test('Bedrock signs with the credentials of a profile', async (t) => {
  const { port, asked } = await startEndpoint(t);
  const env = {
    ...{
      CLAUDE_CODE_USE_BEDROCK: '1',
      AWS_REGION: 'us-east-1',
      AWS_PROFILE: 'mine',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    ANTHROPIC_BEDROCK_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const credentials = '[mine]\naws_access_key_id = AKIDMINE\naws_secret_access_key = secret\n';
  await ask(t, env, { '.aws/credentials': credentials, '.aws/config': '[profile mine]\nregion = us-east-1\n' });
  assert.match(asked[0]?.authorization ?? '', /Credential=AKIDMINE\/\d+\/us-east-1\/bedrock\//);
});

test('Vertex AI and Foundry are reached through a gateway', async (t) => {
  const { port, asked } = await startEndpoint(t);
  const gateway = { ANTHROPIC_AUTH_TOKEN: 'tok' };
  await ask(t, {
    ...{ ...gateway, CLAUDE_CODE_USE_VERTEX: '1', CLAUDE_CODE_SKIP_VERTEX_AUTH: '1' },
    ...{ ANTHROPIC_VERTEX_PROJECT_ID: 'p', CLOUD_ML_REGION: 'us-east5' },
    ANTHROPIC_VERTEX_BASE_URL: `http://127.0.0.1:${port}/v1`,
  });
  await ask(t, {
    ...{ ...gateway, CLAUDE_CODE_USE_FOUNDRY: '1', CLAUDE_CODE_SKIP_FOUNDRY_AUTH: '1' },
    ANTHROPIC_FOUNDRY_BASE_URL: `http://127.0.0.1:${port}/anthropic`,
  });
  assert.deepEqual(
    asked.map(({ url }) => url.replace(/\?.*/, '')),
    [
      '/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
      '/anthropic/v1/messages',
    ],
  );
});
