import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortModelName } from '../../src/models/short-name.ts';

const names: readonly (readonly [string, string])[] = [
  ['claude-opus-4-5-20251101', 'Opus 4.5'],
  ['claude-sonnet-4-20250514', 'Sonnet 4'],
  ['claude-3-5-haiku-20241022', 'Haiku 3.5'],
  ['claude-3-opus-20240229', 'Opus 3'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'Sonnet 4.5'],
  ['claude-opus-4-6[1m]', 'Opus 4.6'],
  ['qwen3-coder', 'qwen3-coder'],
  ['<synthetic>', '<synthetic>'],
];

for (const [model, name] of names) {
  test(`${model} is shown as ${name}`, () => assert.equal(shortModelName(model), name));
}
