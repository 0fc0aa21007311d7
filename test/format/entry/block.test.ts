import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonObject } from '../../../src/base/json/json.ts';
import {
  type Block,
  blockFields,
  blocksOf,
  isDocument,
  isImage,
  isKnownBlock,
  isServerCall,
  isServerResult,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  textOf,
} from '../../../src/format/entry/block.ts';
import { asEntry, contentOf } from '../../../src/format/entry/entry.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { misdeclaredPaths, undeclaredKeys } from '../../support/table-check.ts';

const guards = { isText, isThinking, isToolUse, isToolResult, isImage, isDocument, isServerCall, isServerResult };

test('a string is one text block, an array is its objects, anything else is nothing', () => {
  assert.deepEqual(blocksOf('hi'), [{ type: 'text', text: 'hi' }]);
  assert.deepEqual(blocksOf(['a', { type: 'text', text: 'b' }, null, [1], { odd: true }]), [
    { type: 'text', text: 'b' },
    { odd: true },
  ]);
  assert.deepEqual([undefined, null, 3, { type: 'text', text: 'c' }].map(blocksOf), [[], [], [], []]);
});

test('the blocks of an array of objects are that array, not a copy', () => {
  const content = [{ type: 'text', text: 'a' }];
  assert.equal(blocksOf(content), content);
});

test('the text of blocks is that of the well-formed text blocks', () => {
  const blocks = [
    { type: 'text', text: 'one' },
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 7 },
    { type: 'text', text: 'two' },
  ];
  assert.equal(textOf(blocks), 'one\ntwo');
});

test('each guard accepts its blocks and refuses one that lacks what it promises', () => {
  const accepted: readonly [keyof typeof guards, Block, readonly string[]][] = [
    ['isText', { type: 'text', text: '' }, ['text']],
    ['isThinking', { type: 'thinking', thinking: '' }, ['thinking']],
    ['isThinking', { type: 'redacted_thinking', data: 'x' }, ['data']],
    ['isToolUse', { type: 'tool_use', id: 't', name: 'Read', input: {} }, ['id', 'name']],
    ['isToolResult', { type: 'tool_result', tool_use_id: 't' }, ['tool_use_id']],
    ['isImage', { type: 'image', source: { type: 'base64', data: '' } }, ['source']],
    ['isDocument', { type: 'document', source: { type: 'file', file_id: 'f' } }, ['source']],
    ['isServerCall', { type: 'server_tool_use', id: 's', name: 'web_search' }, ['id', 'name']],
    ['isServerCall', { type: 'mcp_tool_use', id: 's', name: 'm' }, ['id', 'name']],
    ...Object.keys(blockFields)
      .filter((type) => type.endsWith('_tool_result'))
      .map((type): [keyof typeof guards, Block, string[]] => [
        'isServerResult',
        { type, tool_use_id: 's', content: [] },
        ['tool_use_id'],
      ]),
  ];
  for (const [name, block, promised] of accepted) {
    assert.deepEqual(guardsOf(block), [name]);
    for (const key of promised) assert.deepEqual(guardsOf({ ...block, [key]: 1 }), [], `${name} without ${key}`);
  }
});

test('a block of an unknown type, or named like an inherited property, is unknown', () => {
  const blocks = [{ type: 'hologram' }, { type: 'constructor' }, { type: '__proto__' }, { type: 3 }, {}];
  assert.deepEqual(
    blocks.filter((block) => isKnownBlock(block)),
    [],
  );
});

test('no guard throws on any object, and an accepted block has what the guard promises', () => {
  const type = fc.oneof(fc.constantFrom(...Object.keys(blockFields)), fc.anything());
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), type, fc.anything(), (rest, type, text) => {
      const block = { ...rest, type, text } as Block;
      guardsOf(block);
      if (isText(block)) assert.equal(typeof block.text, 'string');
      assert.equal(blocksOf([block]).length, 1);
    }),
  );
  fc.assert(fc.property(fc.anything(), (content) => blocksOf(content).every(isObject)));
});

test('every block of the corpora is known, but for those listed here as open', () => {
  const open = new Map<string, number>();
  for (const block of corpusBlocks('real', 'public')) {
    if (!isKnownBlock(block)) open.set(String(block.type), (open.get(String(block.type)) ?? 0) + 1);
  }
  // Fixtures of other projects with calls and results that have no id.
  assert.deepEqual([...open].sort(), [
    ['tool_result', 4],
    ['tool_use', 4],
  ]);
});

test('every key of every block the real client wrote is declared, with its kind', () => {
  const wrong = new Set<string>();
  for (const block of corpusBlocks('real')) {
    if (!isKnownBlock(block)) continue;
    const table = blockFields[block.type];
    for (const key of undeclaredKeys(block, table)) wrong.add(`${block.type}.${key} is not declared`);
    for (const path of misdeclaredPaths(block as JsonObject, table))
      wrong.add(`${block.type}.${path} is of another kind`);
  }
  assert.deepEqual([...wrong], []);
});

function guardsOf(block: Block): string[] {
  return Object.entries(guards)
    .filter(([, guard]) => guard(block))
    .map(([name]) => name);
}

function* corpusBlocks(...corpora: readonly ('real' | 'public')[]): Generator<Block> {
  for (const value of corpusValues(...corpora)) {
    const entry = asEntry(value);
    for (const block of entry === undefined ? [] : contentOf(entry)) {
      yield block;
      if (isToolResult(block)) yield* blocksOf(block.content);
    }
  }
}
