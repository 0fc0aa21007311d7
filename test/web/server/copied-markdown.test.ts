// The page copies the Markdown of `clew export`, with the same secrets replaced.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { keyParam, readText } from '../../../src/web/client/client.ts';
import { runClew } from '../../support/clew.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';
import { fakeSecrets } from '../../surgery/secrets/fake-secrets.ts';

const sessionId = '3f2b8c1e-0000-4000-8000-000000000001';

test('the copied Markdown equals clew export and contains no secret', async (context) => {
  const secrets = fakeSecrets(7).slice(0, 12);
  assert.equal(secrets.length, 12);
  const own = 'house-rule-4711-value';
  const session = transcript()
    .user(`my settings: ${secrets.map((secret) => secret.text).join('\n')}`)
    .assistant([text('I read it.'), toolUse('t1', 'Bash', { command: `echo ${secrets[0]?.text} ${own}` })])
    .user([toolResult('t1', secrets.map((secret) => secret.text).join('\n'))])
    // Recognizable by its context above, and without any context here.
    .assistant(`Found ${secrets.map((secret) => secret.value).join(' and ')}.`)
    .user(`and now? ${secrets[1]?.text}`)
    .assistant(`Done with ${secrets[2]?.text} and ${own}.`);
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: session.text() });
  const rules = { rules: [{ kind: 'house', pattern: 'house-rule-\\d+-value' }] };
  writeTree(server.state, { 'redact.json': JSON.stringify(rules) });
  const file = path.join(server.root, 'projects', '-p', `${sessionId}.jsonl`);
  const { stdout, stderr } = runClew(['export', file, '--format', 'md'], { env: { CLEW_HOME: server.state } });
  assert.equal(stderr, '');

  const whole = await readText(server.client.sessions[':key'].markdown.$get({ param: keyParam(sessionId) }));
  assert.equal(whole, stdout);
  const second = await readText(
    server.client.sessions[':key'].markdown.$get({ param: keyParam(sessionId), query: { turn: 2 } }),
  );
  assert.match(second, /^## 2\. /);
  assert.ok(stdout.includes(second), second);
  assert.match(second, /\[redacted:house/);
  for (const value of [...secrets.map((secret) => secret.value), own]) {
    assert.ok(session.text().includes(JSON.stringify(value).slice(1, -1)), 'it was planted');
    for (const copied of [whole, second]) assert.ok(!copied.includes(value), value);
  }
});
