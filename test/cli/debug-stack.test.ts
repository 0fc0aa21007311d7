// --debug shows places in the sources where a source map lies next to the bundled file, and else the stack as it is.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sourceStack } from '../../src/cli/debug-stack.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

// "AACE": from the start of the second line of the bundle to line 2, column 3 of the source.
const map = JSON.stringify({ version: 3, sources: ['../../src/a.ts'], names: [], mappings: ';AACE' });

test('a place with a source map becomes the place in the source', (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'dist/chunks/a.js': '', 'dist/chunks/a.js.map': map });
  const url = pathToFileURL(path.join(folder, 'dist/chunks/a.js')).href;
  assert.equal(
    sourceStack(`Error: no\n    at run (${url}:2:1)\n    at ${url}:2:1\n    at node:internal/main:1:2`),
    `Error: no\n    at run (${folder}/src/a.ts:2:3)\n    at ${folder}/src/a.ts:2:3\n    at node:internal/main:1:2`,
  );
});

test('without a map, with a broken map and for an unknown place the stack stays', (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, { 'none.js': '', 'broken.js.map': '{', 'a.js.map': map });
  for (const place of ['none.js:2:1', 'broken.js:2:1', 'a.js:1:1']) {
    const stack = `Error: no\n    at run (${pathToFileURL(folder).href}/${place})`;
    assert.equal(sourceStack(stack), stack);
  }
});
