import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionHead } from '../../../src/export/wire/view.ts';
import { branchText, sessionFacts } from '../../../src/web/app/session/format/session-facts.ts';

const head = {
  cwd: '/w/lamp',
  startedAt: null,
  endedAt: null,
  turnCount: 12,
  agents: [{}],
  compactions: [{}, {}],
  sizeBytes: 2048,
  models: ['claude-sonnet-4-5'],
  versions: ['2.1.150'],
  usage: {
    messages: 3,
    inputTokens: 10,
    outputTokens: 20,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputIsLowerBound: false,
  },
  costMicros: 1_500_000,
  unpriced: 0,
  damageCount: 1,
} as unknown as SessionHead; // only the fields that the facts use

test('the facts of a complete session', () => {
  assert.deepEqual(sessionFacts(head, true), {
    facts: [
      '/w/lamp',
      '12 turns',
      '1 sub-agent',
      'compacted 2 times',
      '2.0 KB',
      'claude-sonnet-4-5',
      'Claude Code 2.1.150',
      '10 in, 20 out',
    ],
    cost: '$1.50',
    damage: '1 place of the transcript is damaged',
  });
});

test('a cost without unpriced messages is a lower bound, with their number', () => {
  assert.equal(sessionFacts({ ...head, unpriced: 1 }, true).cost, '≥ $1.50 + 1 message without a price');
});

test('while the rest is read, every number that will grow is marked', () => {
  assert.deepEqual(sessionFacts(head, false), {
    facts: [
      '/w/lamp',
      '12 turns so far',
      '1 sub-agent so far',
      'compacted 2 times so far',
      '2.0 KB so far',
      'claude-sonnet-4-5',
      'Claude Code 2.1.150',
      '10 in, 20 out so far',
    ],
    cost: '$1.50 so far',
    damage: '1 place of the transcript is damaged so far',
  });
  const branch = { number: 1, active: true, isReplay: false, turns: 12 } as Parameters<typeof branchText>[0];
  assert.deepEqual(
    [branchText(branch, false), branchText(branch, true)],
    ['Active branch, 12 turns so far', 'Active branch, 12 turns'],
  );
});
