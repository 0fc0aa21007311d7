import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelFactsOf } from '../../src/api/models.ts';
import { models } from '../../src/library/prices-data.ts';

test('the facts of a model are found under any of its names', () => {
  const facts = { contextTokens: 200_000, takesPrefill: true, omitsThinking: true, maxImages: 100, thinking: 'budget' };
  const names = ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'];
  assert.deepEqual(
    names.map((name) => modelFactsOf(name)),
    names.map(() => facts),
  );
});

test('a name that asks for the long context has it, and the images that go with it', () => {
  assert.deepEqual(modelFactsOf('claude-sonnet-4-5[1m]'), {
    contextTokens: 1_000_000,
    takesPrefill: true,
    omitsThinking: true,
    maxImages: 600,
    thinking: 'budget',
  });
});

test('models from 4.6 on take no prefill', () => {
  const prefill = ['claude-opus-4-5', 'claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-5-5', 'claude-haiku-4-5'];
  assert.deepEqual(
    prefill.map((name) => modelFactsOf(name)?.takesPrefill),
    [true, false, false, false, true],
  );
});

test('a name that is in no table has no facts, however long or odd', () => {
  for (const name of ['', 'claude', 'gpt-5', 'constructor', '__proto__', '['.repeat(1_000_000)])
    assert.equal(modelFactsOf(name), undefined);
});

test('every model with a price has facts', () => {
  assert.deepEqual(
    Object.keys(models).filter((name) => modelFactsOf(name) === undefined),
    [],
  );
});
