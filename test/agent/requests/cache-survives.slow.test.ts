// 200 turns in ten processes, with calls, edits of files, CLAUDE.md, the git branch, mode and effort in between: every
// request begins with all bytes that the one before it had up to its last cache mark.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../../src/base/json/json.ts';
import { type AgentKit, startAgent } from '../../support/agent-kit.ts';
import { calls, says } from '../../support/agent-talk.ts';
import { PromptCache } from '../../support/prompt-cache.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const turns = 200;
const turnsPerProcess = 20;

/** The parts of a request in the order of the API, each as text, up to the last mark. */
function markedPrefix(body: JsonObject): string {
  const blocks: { readonly text: string; readonly isMarked: boolean }[] = [];
  const list = (value: unknown): readonly unknown[] => (isArray(value) ? value : []);
  const pass = (place: string, value: unknown): void => {
    const { cache_control: mark, ...plain } = asObject(value) ?? {};
    blocks.push({ text: JSON.stringify([place, plain]), isMarked: mark !== undefined });
  };
  for (const tool of list(body.tools)) pass('tools', tool);
  for (const block of list(body.system)) pass('system', block);
  for (const message of list(body.messages)) {
    const { role, content, output_config: config } = asObject(message) ?? {};
    if (config !== undefined) pass(`${role} config`, config);
    for (const block of list(content)) pass(String(role), block);
  }
  const last = blocks.findLastIndex(({ isMarked }) => isMarked);
  return blocks
    .slice(0, last + 1)
    .map(({ text }) => text)
    .join('\n');
}

test('200 turns with ten resumes: the cached prefix of each request is sent again, byte for byte', async (t) => {
  const folder = temporaryFolder(t);
  const cwd = path.join(folder, 'project');
  const script = ({ body }: { readonly body: unknown }) => {
    const { messages } = asObject(body as JsonObject) ?? {};
    const last = isArray(messages) ? JSON.stringify(messages.at(-1)) : '';
    const isCall = /turn \d*[37] of/.test(last) && !last.includes('tool_result');
    return isCall ? calls(['Read', { file_path: path.join(cwd, 'data.txt') }]) : says('done');
  };
  const bodies: JsonObject[] = [];
  let session: { readonly kind: 'resume'; readonly session: string } | undefined;
  for (let first = 0; first < turns; first += turnsPerProcess) {
    const kit: AgentKit = await startAgent(t, script, {
      folder,
      files: { 'project/data.txt': `data of ${first}\n` },
      ...(session === undefined ? {} : { session }),
      mode: first % 40 === 0 ? 'acceptEdits' : 'default',
    });
    if (first === 0) execFileSync('git', ['init', '-q', '-b', 'main'], { cwd });
    for (let turn = first; turn < first + turnsPerProcess; turn++) {
      if (turn % 10 === 4) writeFileSync(path.join(cwd, 'CLAUDE.md'), `Rule of turn ${turn}.\n`);
      if (turn % 20 === 9) execFileSync('git', ['symbolic-ref', 'HEAD', `refs/heads/turn-${turn}`], { cwd });
      if (turn % 50 === 11) kit.agent.setEffort(turn % 100 === 11 ? 'high' : 'low');
      const { outcome, error } = await kit.agent.prompt(`turn ${turn} of ${turns}`);
      assert.deepEqual([outcome, error?.message], ['success', undefined]);
    }
    session = { kind: 'resume', session: kit.agent.state.sessionId };
    bodies.push(...kit.bodies());
    await kit.agent.close('exit');
    await kit.server.close();
  }
  assert.equal(bodies.length, turns + 40);
  const cache = new PromptCache();
  let kept = 0;
  for (const [i, body] of bodies.entries()) {
    const { readBytes } = cache.take(body);
    const before = bodies[i - 1];
    if (before === undefined) continue;
    const prefix = markedPrefix(before);
    assert.ok(prefix.length > 1000);
    assert.ok(markedPrefix(body).startsWith(prefix), `request ${i} changed what request ${i - 1} had cached`);
    assert.deepEqual(body.output_config, before.output_config);
    assert.ok(readBytes >= prefix.length * 0.9, `request ${i} read ${readBytes} of ${prefix.length} bytes`);
    kept += prefix.length;
  }
  t.diagnostic(`${kept} bytes were sent again unchanged`);
});
