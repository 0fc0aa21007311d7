// Names of models on the platforms. The rows are what Claude Code 2.1.325 sent for `--model NAME` to a server on loopback.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelNameOn, resolveModel, smallModel, vertexRegion } from '../../src/models/platform.ts';

const rows = `
claude-fable-5-2 | us.anthropic.claude-fable-5-2 | claude-fable-5-2 | claude-fable-5-2
claude-mythos-5-2 | claude-mythos-5-2 | claude-mythos-5-2 | claude-mythos-5-2
claude-haiku-5-5 | us.anthropic.claude-haiku-5-5 | claude-haiku-5-5 | claude-haiku-5-5
claude-opus-4-6 | us.anthropic.claude-opus-4-6-v1 | claude-opus-4-6 | claude-opus-4-6
claude-sonnet-4-6 | us.anthropic.claude-sonnet-4-6 | claude-sonnet-4-6 | claude-sonnet-4-6
claude-opus-4-5-20251101 | us.anthropic.claude-opus-4-5-20251101-v1:0 | claude-opus-4-5@20251101 | claude-opus-4-5-20251101
claude-opus-4-1-20250805 | us.anthropic.claude-opus-4-1-20250805-v1:0 | claude-opus-4-1@20250805 | claude-opus-4-1-20250805
claude-opus-4-20250514 | us.anthropic.claude-opus-4-20250514-v1:0 | claude-opus-4@20250514 | claude-opus-4-20250514
claude-3-7-sonnet-20250219 | us.anthropic.claude-3-7-sonnet-20250219-v1:0 | claude-3-7-sonnet@20250219 | claude-3-7-sonnet-20250219
claude-3-5-sonnet-20241022 | us.anthropic.claude-3-5-sonnet-20241022-v2:0 | claude-3-5-sonnet-v2@20241022 | claude-3-5-sonnet-20241022
claude-3-opus-20240229 | claude-3-opus-20240229 | claude-3-opus-20240229 | claude-3-opus-20240229
claude-opus-4-6[1m] | us.anthropic.claude-opus-4-6-v1 | claude-opus-4-6 | claude-opus-4-6
eu.anthropic.claude-opus-4-6-v1 | eu.anthropic.claude-opus-4-6-v1 | eu.anthropic.claude-opus-4-6-v1 | eu.anthropic.claude-opus-4-6-v1
opus | us.anthropic.claude-opus-5-5 | claude-opus-5-5 | claude-opus-4-6
sonnet | us.anthropic.claude-sonnet-4-5-20250929-v1:0 | claude-sonnet-4-5@20250929 | claude-sonnet-4-5
haiku | us.anthropic.claude-haiku-4-5-20251001-v1:0 | claude-haiku-4-5@20251001 | claude-haiku-4-5
fable | us.anthropic.claude-fable-5-2 | claude-fable-5-2 | claude-fable-5-2
default | us.anthropic.claude-opus-5-5 | claude-opus-5-5 | claude-sonnet-4-5
best | us.anthropic.claude-opus-5-5 | claude-opus-5-5 | claude-opus-4-6
opusplan | us.anthropic.claude-sonnet-4-5-20250929-v1:0 | claude-sonnet-4-5@20250929 | claude-sonnet-4-5
my-model | my-model | my-model | my-model`;

const platforms = [
  { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-west-2' },
  { CLAUDE_CODE_USE_VERTEX: '1' },
  { CLAUDE_CODE_USE_FOUNDRY: '1' },
];

test('each platform has its own names and its own models for the aliases', () => {
  for (const row of rows.trim().split('\n')) {
    const [name = '', ...expected] = row.split(' | ');
    assert.deepEqual(
      platforms.map((env) => modelNameOn(resolveModel(name, env), env)),
      expected,
      name,
    );
  }
});

test('the region chooses the inference profile of Bedrock', () => {
  const profiles = {
    'us-east-1': 'us',
    'eu-west-1': 'eu',
    'ap-northeast-1': 'apac',
    'ap-southeast-2': 'apac',
    'us-gov-west-1': 'us-gov',
    'ca-central-1': 'global',
    'sa-east-1': 'global',
    'me-central-1': 'global',
  };
  for (const [AWS_REGION, profile] of Object.entries(profiles))
    assert.equal(
      modelNameOn('claude-opus-5-5', { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION }),
      `${profile}.anthropic.claude-opus-5-5`,
    );
  const env = { CLAUDE_CODE_USE_BEDROCK: 'true', AWS_DEFAULT_REGION: 'eu-west-1' };
  assert.equal(modelNameOn('claude-opus-5-5', env), 'eu.anthropic.claude-opus-5-5');
  // The client sends a name without its date as it is, which the platform does not know.
  assert.equal(modelNameOn('claude-haiku-4-5', env), 'eu.anthropic.claude-haiku-4-5-20251001-v1:0');
});

test('ANTHROPIC_DEFAULT_*_MODEL pins aliases, not names', () => {
  const pins = {
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'my-opus',
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'my-sonnet',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'my-haiku',
    ANTHROPIC_DEFAULT_FABLE_MODEL: 'my-fable',
  };
  const pinned = {
    ...{ opus: 'my-opus', sonnet: 'my-sonnet', haiku: 'my-haiku', fable: 'my-fable', default: 'my-opus' },
    ...{ best: 'my-opus', opusplan: 'my-sonnet', 'claude-opus-5-5': 'claude-opus-5-5', 'opus[1m]': 'my-opus[1m]' },
  };
  for (const [name, model] of Object.entries(pinned)) assert.equal(resolveModel(name, pins), model, name);
  assert.equal(resolveModel('default', { ...pins, CLAUDE_CODE_USE_FOUNDRY: '1' }), 'my-sonnet');
  assert.equal(resolveModel('opus', { ANTHROPIC_DEFAULT_OPUS_MODEL: 'sonnet' }), 'sonnet', 'a pin is a name');
  const bedrock = { CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-6' };
  assert.equal(modelNameOn(resolveModel('opus', bedrock), bedrock), 'us.anthropic.claude-opus-4-6-v1');
});

test('the small model is Haiku, unless it is named; on Bedrock it must be named', () => {
  assert.equal(smallModel('main', {}), 'claude-haiku-5-5');
  assert.equal(smallModel('main', { ANTHROPIC_SMALL_FAST_MODEL: 'small' }), 'small');
  assert.equal(smallModel('main', { ANTHROPIC_SMALL_FAST_MODEL: 's', ANTHROPIC_DEFAULT_HAIKU_MODEL: 'h' }), 'h');
  assert.equal(smallModel('main', { CLAUDE_CODE_USE_BEDROCK: '1' }), 'main');
});

test('a model on Vertex AI may have a region of its own', () => {
  const env = {
    CLOUD_ML_REGION: 'global',
    VERTEX_REGION_CLAUDE_HAIKU_4_5: 'us-east5',
    VERTEX_REGION_CLAUDE_4_6_SONNET: 'europe-west1',
  };
  assert.deepEqual(
    ['claude-haiku-4-5', 'claude-sonnet-4-6', 'claude-opus-5-5', 'unknown'].map((model) => vertexRegion(model, env)),
    ['us-east5', 'europe-west1', 'global', 'global'],
  );
  assert.equal(vertexRegion('claude-opus-5-5', {}), 'us-east5');
});
