import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { repairRequest, violationsOf } from '../../../src/agent/session/repair-request.ts';
import { asString, type JsonObject } from '../../../src/base/json.ts';
import type { DamageCode } from '../../../src/doctor/finding.ts';
import type { WireMessage } from '../../../src/session/resume/draft.ts';
import { requestMessages } from '../../../src/session/resume/request.ts';
import { loadSession } from '../../../src/session/session.ts';
import { assistant, call, image, result, text, thought, user } from '../../support/api-request.ts';
import { healthyFiles } from '../../support/healthy.ts';
import { filesBelow, shared, skipWithoutShared } from '../../support/paths.ts';
import { isFertile, plantDamage, plantedCodes } from '../../support/plant.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const isLong = process.env.CLEW_LONG === '1';

const model = 'claude-opus-5-5';

function repaired(...messages: readonly JsonObject[]): readonly WireMessage[] {
  const request = repairRequest(wire(messages), { model });
  assert.deepEqual(violationsOf(request.messages, { model }), []);
  assert.notDeepEqual(request.notes, []);
  return request.messages;
}

/** The builders' messages have a role and blocks, or words. */
function wire(messages: readonly JsonObject[]): readonly WireMessage[] {
  return messages.map((message) => message as unknown as WireMessage);
}

test('a sound request is left as it is', () => {
  const messages = wire([user('go'), assistant(call('t1')), user(result('t1'), text('and?'))]);
  const request = repairRequest(messages);
  assert.equal(request.messages, messages);
  assert.deepEqual(request.notes, []);
});

test('calls are answered once, right behind their message, before anything else', () => {
  const interrupted = /^\[Tool call interrupted/;
  const [, , answered, , last] = repaired(
    user('go'),
    assistant(call('t1'), call('t2')),
    user(text('typed'), result('t2')),
    assistant(call('t2'), text('on')),
    user(result('t1'), result('t9', 'lost')),
  );
  const [missing, ...others] = answered?.content ?? [];
  assert.match(asString(missing?.content) ?? '', interrupted);
  assert.deepEqual(others, [result('t2'), text('typed')]);
  assert.deepEqual(last?.content, [text('[Result of a tool call that is not in this conversation]\nlost')]);
});

test('what was altered, is empty or too large is taken out, and what is left still ends with the user', () => {
  assert.deepEqual(
    repaired(
      assistant(text('first')),
      user(image('png', 9000, 10), text(' ')),
      assistant(thought({ signature: '' }), text('said')),
      user('go'),
    ),
    wire([
      user(text('[The beginning of this conversation is not in the file.]')),
      assistant(text('first')),
      user(text('[image taken out of the request: image/png, 9000 × 10 pixels]')),
      assistant(text('said')),
      user(text('go')),
    ]),
  );
});

test('every damage that doctor knows is mended in the request', { skip: skipWithoutShared }, async (t) => {
  const folder = temporaryFolder(t);
  const files = healthyFiles().filter((file) => isFertile(readFileSync(file)));
  const random = seededRandom(5);
  const damaged = new Map<DamageCode, number>();
  for (let i = 0; i < (isLong ? 2000 : 120); i++) {
    const file = files[Math.floor(random() * files.length)] ?? '';
    const wanted = [plantedCodes[i % plantedCodes.length], plantedCodes[Math.floor(random() * plantedCodes.length)]];
    const { bytes, codes } = plantDamage(
      readFileSync(file),
      wanted.filter((code) => code !== undefined),
      random,
    );
    writeTree(folder, { 's.jsonl': bytes });
    const request = requestMessages(await loadSession(path.join(folder, 's.jsonl')), 'Go on');
    if ('refused' in request) continue;
    const options = { model: request.model };
    const before = violationsOf(request.messages, options);
    for (const code of before.length > 0 ? codes : []) damaged.set(code, (damaged.get(code) ?? 0) + 1);
    const mended = repairRequest(request.messages, options);
    assert.deepEqual(violationsOf(mended.messages, options), [], `${codes.join(' ')} in ${file}`);
    assert.equal(mended.notes.length > 0, before.length > 0);
  }
  // The client's own rules mend some classes; these they do not.
  for (const code of ['A-thinking-altered', 'A-image-size', 'A-too-long'] as const)
    assert.ok((damaged.get(code) ?? 0) > 0, `${code} was not among the damage`);
});

test('every session of the corpora can be asked on', { skip: skipWithoutShared }, async () => {
  const all = filesBelow(path.join(shared, 'corpus'), '.jsonl').filter((file) => !path.basename(file).startsWith('_'));
  const files = isLong ? all : all.filter((_, i) => i % 7 === 0);
  let count = 0;
  for (const file of files) {
    const request = requestMessages(await loadSession(file), 'Go on');
    if ('refused' in request) continue;
    count++;
    const options = { model: request.model };
    assert.deepEqual(violationsOf(repairRequest(request.messages, options).messages, options), [], file);
  }
  assert.ok(count > 30, `only ${count} sessions`);
});
