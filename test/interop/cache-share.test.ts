// The same conversation with the client and with Clew: a new process for each prompt, CLAUDE.md edited in between. One
// cache, simulated by the documented rules, shows how much of the later requests each of them reads from it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isArray, type JsonObject } from '../../src/base/json/json.ts';
import { startAgent } from '../support/agent-kit.ts';
import { says } from '../support/agent-talk.ts';
import { PromptCache } from '../support/prompt-cache.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { type FileSet, installClient, resume, startSession } from './client.ts';

const prompts = ['one', 'two', 'three', 'four'];
/** Clew may read this much less of its requests; they are smaller, so what is new weighs more. */
const epsilon = 0.02;

/** Of all requests but the first. */
function readShare(bodies: readonly JsonObject[]): number {
  const cache = new PromptCache();
  const later = bodies.map((body) => cache.take(body)).slice(1);
  const sum = (key: 'readBytes' | 'totalBytes'): number => later.reduce((total, each) => total + each[key], 0);
  return sum('readBytes') / sum('totalBytes');
}

test('after edits and resumes, Clew reads as much from the cache as the client', async (t) => {
  const cli = await installClient('2.1.325');
  const ofClient: JsonObject[] = [];
  let files: FileSet = {};
  let sessionId: string | undefined;
  for (const prompt of prompts) {
    const options = { cli, prompt, workspace: { 'CLAUDE.md': `Rule for ${prompt}.\n` } };
    const run = sessionId === undefined ? await startSession(options) : await resume({ ...options, files, sessionId });
    assert.equal(run.exitCode, 0, run.stderr);
    ofClient.push(...run.requests.filter(({ body }) => isArray(body.tools)).map(({ body }) => body));
    files = run.files;
    sessionId ??= String((JSON.parse(run.stdout) as { session_id?: string }).session_id); // the client's result
  }

  const folder = temporaryFolder(t);
  const ofClew: JsonObject[] = [];
  let session: { readonly kind: 'resume'; readonly session: string } | undefined;
  for (const prompt of prompts) {
    const kit = await startAgent(t, () => says('MOCK-REPLY'), {
      folder,
      ...(session === undefined ? {} : { session }),
    });
    writeFileSync(path.join(kit.cwd, 'CLAUDE.md'), `Rule for ${prompt}.\n`);
    await kit.agent.prompt(prompt);
    session = { kind: 'resume', session: kit.agent.state.sessionId };
    await kit.agent.close('exit');
    ofClew.push(...kit.bodies());
  }
  assert.deepEqual([ofClient.length, ofClew.length], [prompts.length, prompts.length]);
  const [client, clew] = [readShare(ofClient), readShare(ofClew)];
  t.diagnostic(`cache reads: client ${(client * 100).toFixed(1)} %, Clew ${(clew * 100).toFixed(1)} %`);
  assert.ok(client > 0.5 && clew >= client - epsilon, `client ${client}, Clew ${clew}`);
});
