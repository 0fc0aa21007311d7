// Real sessions of every client, continued by the agent.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openSession } from '../../../src/agent/session/open-session.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { oldResumeLines, requestMessages } from '../../../src/session/resume/request/request.ts';
import { isMessage } from '../../../src/session/transcript/node.ts';
import { encodeSlug } from '../../../src/store/roots.ts';
import { AgentRun, placeIn } from '../../support/agent-run.ts';
import { realFolder } from '../../support/healthy.ts';
import { realSessions } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

/** Of each version. */
const limit = process.env.CLEW_LONG === '1' ? Number.POSITIVE_INFINITY : 1;

test('a session of every client is continued, and old and new clients see the new end', async (t) => {
  const continued = new Map<string, number>();
  for (const file of realSessions()) {
    const version = path.relative(realFolder, file).split(path.sep)[0] ?? '';
    if ((continued.get(version) ?? 0) >= limit) continue;
    const before = requestMessages(await loadSession(file));
    if ('refused' in before) continue;
    const place = placeIn(temporaryFolder(t));
    const copy = path.join(place.root, 'projects', encodeSlug(place.cwd), path.basename(file));
    mkdirSync(path.dirname(copy), { recursive: true });
    mkdirSync(place.cwd, { recursive: true });
    cpSync(file, copy);
    const run = new AgentRun(await openSession({ kind: 'resume', session: copy }, place), before.model);
    await run.turn('Continued', 'Gladly.');
    await run.close();
    const after = await loadSession(copy);
    const request = requestMessages(after);
    assert.deepEqual(request, run.session.recorder.resumed(), file);
    assert.ok('messages' in request && request.messages.length >= 2, file);
    assert.deepEqual(sentWords(request), [...sentWords(before), 'Continued', 'Gladly.'], file);
    const old = oldResumeLines(after.transcript);
    const last = 'lines' in old ? old.lines.findLast(isMessage) : undefined;
    assert.equal(last?.uuid, after.transcript.nodes.findLast(isMessage)?.uuid, file);
    continued.set(version, (continued.get(version) ?? 0) + 1);
  }
  const versions = readdirSync(realFolder).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
  assert.deepEqual([...continued.keys()].sort(), versions.sort());
  assert.ok(versions.length >= 5, `only ${versions.length} versions`);
});

/** What is said, without what the client itself adds at an end. */
function sentWords(request: ReturnType<typeof requestMessages>): readonly string[] {
  if ('refused' in request) return [];
  return request.messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text.trimEnd()] : []))
    .filter((text) => text !== 'No response requested.');
}
