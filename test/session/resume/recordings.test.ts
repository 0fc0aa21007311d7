// Our prediction of a resume against every recording of the real client, those in the repository and those next to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSession } from '../../../src/session/load/session.ts';
import { normalise } from '../../../src/session/resume/messages/normalise.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { describeDifference } from '../../interop/difference.ts';
import {
  corpusPublicCases,
  corpusRealCases,
  fuzzCases,
  type RecordedCase,
  randomCases,
  realCases,
  safeProfileCase,
  vectorCases,
} from '../../interop/recordings.ts';

test('the hand-made sessions, each with one peculiarity', () => checkAll(vectorCases(), 110));
test('the small sessions that a generator found', () => checkAll(fuzzCases(), 26));
test('the small sessions that random ones led to', () => checkAll(randomCases(), 32));
test('the session that every client reads the same way', () => checkAll([safeProfileCase()], 1));
test('the real sessions in the repository', () => checkAll(realCases(), 12));
test('all real sessions', () => checkAll(corpusRealCases(), 197));
test('all public sessions', () => checkAll(corpusPublicCases(), 258));

async function checkAll(cases: readonly RecordedCase[], count: number): Promise<void> {
  assert.equal(cases.length, count);
  const wrong: string[] = [];
  for (const each of cases) {
    const said = await differenceOf(each);
    if (said !== undefined) wrong.push(`${each.name} (${each.file})\n${said}`);
  }
  if (wrong.length > 0) assert.fail(`${wrong.length} of ${count} differ:\n${wrong.join('\n')}`);
}

async function differenceOf({ file, expected }: RecordedCase): Promise<string | undefined> {
  const ours = requestMessages(await loadSession(file), 'next', { host: 'gateway' });
  if ('refused' in expected) {
    return 'refused' in ours ? undefined : `the client refuses it, we predict ${ours.messages.length} messages`;
  }
  if ('refused' in ours) return `the client sends ${expected.messages.length} messages, we refuse: ${ours.refused}`;
  return describeDifference(expected.messages, normalise(ours.messages));
}
