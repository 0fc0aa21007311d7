// What the table says of models, against the published tables as people wrote them down.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  defaultModel,
  isOffered,
  knownModels,
  modelFactsOf,
  modelRowOf,
  outputTokensOf,
  plainModelName,
  prefixCheckOf,
  readsThinkingOf,
  resolveModelAlias,
} from '../../src/models/facts.ts';

test('the facts of a model are found under any of its names', () => {
  const facts = {
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    takesPrefill: true,
    omitsThinking: true,
    maxImages: 100,
    thinking: 'budget',
    thinkingDefault: 'off',
  };
  const names = ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'];
  assert.deepEqual(
    names.map((name) => modelFactsOf(name)),
    names.map(() => facts),
  );
});

test('a name of a cloud, a region or a version becomes the own name; an own name stays', () => {
  const names = {
    'claude-sonnet-4-5': 'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929': 'claude-sonnet-4-5-20250929',
    'claude-3-5-haiku-latest': 'claude-3-5-haiku',
    'claude-haiku-4-5-v1': 'claude-haiku-4-5',
    'claude-haiku-4-5-v12:0': 'claude-haiku-4-5',
    'claude-haiku-4-5-v1-x': 'claude-haiku-4-5-v1-x',
    'claude-latest-1': 'claude-latest-1',
    'claude-haiku-4.5': 'claude-haiku-4-5',
    'claude-haiku-4-5@20251001': 'claude-haiku-4-5-20251001',
    'anthropic/claude-opus-4.1:thinking': 'claude-opus-4-1',
    ' Claude-Opus-4-1[1m]': 'claude-opus-4-1',
    'my-claude': 'my-claude',
  };
  for (const [name, plain] of Object.entries(names)) assert.deepEqual([name, plainModelName(name)], [name, plain]);
});

test('a name that asks for the long context has it, and the images that go with it', () => {
  assert.deepEqual(modelFactsOf('claude-sonnet-4-5[1m]'), {
    contextTokens: 1_000_000,
    maxOutputTokens: 64_000,
    takesPrefill: true,
    omitsThinking: true,
    maxImages: 600,
    thinking: 'budget',
    thinkingDefault: 'off',
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

test('windows, output limits, thinking, effort and retirement are those of the models overview of November 2026', () => {
  const names: Readonly<Record<string, readonly unknown[]>> = {
    'claude-fable-5-2': [1_000_000, 128_000, 'adaptive', 'always', 'high', undefined],
    'claude-opus-5-5': [1_000_000, 128_000, 'adaptive', 'always', 'medium', '2027-09-22'],
    'claude-sonnet-5-5': [1_000_000, 128_000, 'adaptive', 'on', 'high', '2027-09-28'],
    'claude-haiku-5-5': [1_000_000, 128_000, 'adaptive', 'on', 'medium', '2027-10-07'],
    'claude-fable-5-1': [1_000_000, 128_000, 'adaptive', 'always', 'high', '2027-09-01'],
    'claude-opus-5': [1_000_000, 128_000, 'adaptive', 'on', 'high', '2027-07-24'],
    'claude-sonnet-5': [1_000_000, 128_000, 'adaptive', 'on', 'high', '2027-06-30'],
    'claude-fable-5': [1_000_000, 128_000, 'adaptive', 'always', 'high', '2027-06-09'],
    'claude-opus-4-8': [1_000_000, 128_000, 'adaptive', 'off', 'high', '2027-05-28'],
    'claude-opus-4-7': [1_000_000, 128_000, 'adaptive', 'off', 'high', '2027-04-16'],
    'claude-sonnet-4-6': [1_000_000, 128_000, 'adaptive', 'off', 'high', '2027-02-17'],
    'claude-opus-4-5': [200_000, 64_000, 'budget', 'off', undefined, '2026-11-24'],
    'claude-haiku-4-5': [200_000, 64_000, 'budget', 'off', undefined, '2026-10-15'],
    'claude-sonnet-4-5': [200_000, 64_000, 'budget', 'off', undefined, '2026-11-30'],
    'claude-opus-4': [200_000, 32_000, 'budget', 'off', undefined, '2026-06-15'],
    'claude-3-5-haiku-latest': [200_000, 8192, 'none', 'none', undefined, '2026-02-19'],
  };
  const found = Object.keys(names).map((name) => {
    const facts = modelFactsOf(name);
    const row = modelRowOf(name);
    return [
      name,
      [
        facts?.contextTokens,
        facts?.maxOutputTokens,
        facts?.thinking,
        facts?.thinkingDefault,
        row?.defaultEffort,
        row?.retires ?? row?.retiresNotBefore,
      ],
    ];
  });
  assert.deepEqual(Object.fromEntries(found), names);
});

test('what a request may ask of thinking differs: Sonnet 5.5 takes between_tools instead of disabled', () => {
  const types = (name: string): unknown => modelRowOf(name)?.thinking.types;
  assert.deepEqual(types('claude-sonnet-5-5'), ['adaptive', 'between_tools']);
  assert.deepEqual(types('claude-opus-5-5'), ['adaptive']);
  assert.deepEqual(types('claude-haiku-5-5'), ['adaptive', 'disabled']);
  assert.equal(modelRowOf('claude-opus-5')?.thinking.disabledUpToEffort, 'high');
});

test('an alias means what Claude Code 2.1.325 means by it, and any other name stays as it is', () => {
  const aliases = [
    'opus',
    'default',
    'best',
    'sonnet',
    'opusplan',
    'Sonnet[1m]',
    'haiku',
    'fable',
    ' opus ',
    'zeta',
    'x',
  ];
  assert.deepEqual(aliases.map(resolveModelAlias), [
    'claude-opus-5-5',
    'claude-opus-5-5',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-sonnet-5-5',
    'claude-sonnet-5-5[1m]',
    'claude-haiku-5-5',
    'claude-fable-5-2',
    'claude-opus-5-5',
    'zeta',
    'x',
  ]);
  assert.equal(defaultModel, 'claude-opus-5-5');
});

test('the models that came in autumn 2026 are resumed with their own name', () => {
  const names = ['claude-haiku-5-5', 'claude-fable-5-1', 'claude-fable-5-2', 'claude-haiku-5', 'claude-mythos-preview'];
  assert.deepEqual(names.map(isOffered), [true, true, true, false, false]);
});

test('an answer is asked for no more tokens than the model gives', () => {
  const names = ['claude-3-opus-20240229', 'claude-3-5-haiku', 'claude-opus-4-1', 'claude-opus-5-5', 'claude-zeta-9'];
  assert.deepEqual(
    names.map((name) => outputTokensOf(name, 64_000)),
    [4096, 8192, 32_000, 64_000, 64_000],
  );
});

test('every known model is listed once, the oldest first', () => {
  const names = knownModels();
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual([names[0], names.at(-1)], ['claude-3-haiku', 'claude-fable-5-2']);
});

test('who checks the prefix of thinking', () => {
  const names = ['claude-fable-5-2', 'claude-mythos-5-2', 'claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5'];
  const others = ['claude-haiku-5-5', 'claude-opus-5', 'claude-sonnet-4-5', 'claude-zeta-9'];
  assert.deepEqual([...names, ...others].map(prefixCheckOf), [
    ...['every-account', 'every-account', 'new-accounts', 'new-accounts', 'new-accounts'],
    ...['new-accounts', 'none', 'none', undefined],
  ]);
});

test('who reads whose thinking', () => {
  // reader: of Fable 5.2, Fable 5.1, Opus 5.5, Sonnet 5.5, Haiku 5.5, Opus 5, Sonnet 5, Haiku 4.5, Fable 5
  const writers = [
    'fable-5-2',
    'fable-5-1',
    'opus-5-5',
    'sonnet-5-5',
    'haiku-5-5',
    'opus-5',
    'sonnet-5',
    'haiku-4-5',
    'fable-5',
  ];
  const expected: Readonly<Record<string, string>> = {
    'fable-5-2': 'y n n n n ? ? ? ?',
    'mythos-5-2': 'y n n n n ? ? ? ?',
    'fable-5-1': 'n y y n n y y y y',
    'mythos-5-1': 'n y y n n y y y y',
    'opus-5-5': 'n n y y n y y y n',
    'sonnet-5-5': 'n n n y n n y y n',
    'haiku-5-5': 'n n n n y n n n n',
    'opus-5': 'n n n n n y y y y',
    'sonnet-5': 'n n n n n y y y y',
  };
  const letter = (value: boolean | undefined): string => (value === undefined ? '?' : value ? 'y' : 'n');
  const found = Object.keys(expected).map((reader) => [
    reader,
    writers.map((writer) => letter(readsThinkingOf(`claude-${reader}`, `claude-${writer}`))).join(' '),
  ]);
  assert.deepEqual(Object.fromEntries(found), expected);
});
