// The width of every character.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import stringWidth from 'string-width';
import { clusters } from '../../../src/base/text/terminal-text.ts';

test('every character that takes the short way has the width string-width gives it', () => {
  for (let code = 0x20; code < 0x10000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCharCode(code);
    const [first] = clusters(`${character}a`);
    if (first?.text !== character) continue;
    assert.equal(first.width, stringWidth(character), `U+${code.toString(16)}`);
  }
});
