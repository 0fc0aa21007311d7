// Whether the client compacts a session before it sends the prompt. The limits were measured with client 2.1.325.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoCompactionOf } from '../../../../src/session/resume/request/full-request.ts';
import { type TranscriptBuilder, transcript } from '../../../support/transcript-builder.ts';

function answered(model: string, cacheRead: number, output: number = 0): TranscriptBuilder {
  const usage = { input_tokens: 1, cache_read_input_tokens: cacheRead - 1, output_tokens: output };
  return transcript().user('q').assistant('a', { message: { model, usage } });
}

const compacts = (builder: TranscriptBuilder): boolean => autoCompactionOf(builder.session()) !== undefined;

test('a model with a window of 200,000 tokens compacts from 164,600 on, one with a million from 964,000', () => {
  for (const [model, under, over] of [
    ['claude-opus-4-6', 164_581, 164_616],
    ['claude-sonnet-4-6', 164_375, 165_000],
    ['claude-opus-5-5', 963_750, 965_000],
    ['claude-haiku-5-5', 170_000, 975_000],
    ['claude-fable-5-2', 300_000, 975_000],
    ['claude-opus-4-6[1m]', 300_000, 975_000],
  ] as const) {
    assert.deepEqual([model, compacts(answered(model, under))], [model, false]);
    assert.deepEqual([model, compacts(answered(model, over))], [model, true]);
  }
});

test('the 4.5 models are not compacted on a resume', () => {
  assert.equal(compacts(answered('claude-opus-4-5-20251101', 195_000)), false);
  assert.equal(compacts(answered('claude-haiku-4-5-20251001', 199_000)), false);
});

test('the output of the last answer and what follows it count, what is before it does not', () => {
  assert.equal(compacts(answered('claude-opus-4-6', 144_200, 20_000)), false);
  assert.equal(compacts(answered('claude-opus-4-6', 145_200, 20_000)), true);
  assert.equal(compacts(answered('claude-opus-4-6', 153_700).user('w'.repeat(40_000))), false);
  assert.equal(compacts(answered('claude-opus-4-6', 155_000).user('w'.repeat(40_000))), true);
  const early = answered('claude-opus-4-6', 170_000).user('q2');
  assert.equal(compacts(early.assistant('b', { message: { model: 'claude-opus-4-6' } })), false);
});

test('a session that the client refuses is not compacted', () => {
  assert.equal(autoCompactionOf(transcript().session()), undefined);
});

test('no line is read if the last count and the bytes after it are too few', () => {
  const readsOf = (builder: TranscriptBuilder): number => {
    const { transcript: source } = builder.session();
    let reads = 0;
    const read: typeof source.read = (node, needed) => {
      reads++;
      return source.read(node, needed);
    };
    assert.equal(autoCompactionOf({ transcript: { ...source, read } }), undefined);
    return reads;
  };
  assert.equal(readsOf(answered('claude-opus-4-6', 150_000).user('w'.repeat(10_000))), 0);
  assert.ok(readsOf(answered('claude-opus-4-6', 150_000).user('w'.repeat(55_000))) > 0);
});
