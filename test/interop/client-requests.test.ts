// Some of the recorded requests once more with the real client: the recording is what it sends today.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type Recording, requestSettings } from '../agent/requests/request-settings.ts';
import { sentFields } from '../agent/requests/sent-fields.ts';
import { installClient, startSession } from './client.ts';
import { recordings } from './recordings.ts';

const cells = [
  ['claude-opus-5-5', 'default'],
  ['claude-opus-5', '--effort max, --thinking disabled'],
  ['claude-sonnet-4-6', '--effort xhigh'],
  ['claude-haiku-4-5-20251001', 'MAX_THINKING_TOKENS=5000'],
] as const;

for (const [model, setting] of cells)
  test(`${model}, ${setting}: as recorded`, async () => {
    const file = readFileSync(path.join(recordings, 'requests.json'), 'utf8');
    const { client, requests } = JSON.parse(file) as Recording; // written by record-requests.ts
    const row = requests.find(
      (each) => each.host === 'anthropic' && each.model === model && each.settings.includes(setting),
    );
    const { args = [], env = {} } = requestSettings[setting] ?? {};
    const run = await startSession({
      cli: await installClient(client),
      host: 'anthropic',
      prompt: 'hello',
      args: ['--model', model, ...args],
      env,
    });
    const main = run.requests.find(({ path: asked, body }) => asked === '/v1/messages' && body.tools !== undefined);
    assert.deepEqual(sentFields(main?.body ?? {}, main?.beta, model), row?.sent);
  });
