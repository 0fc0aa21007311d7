import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeOldSlug, encodeSlug, slugMatches, slugsFor } from '../../src/store/roots.ts';
import { corpusFolder } from '../support/corpus.ts';
import { filesBelow } from '../support/paths.ts';

test('a slug is the path with every UTF-16 unit outside letters and digits turned into a dash', () => {
  const table = {
    '/home/dev/my.dotted.dir': '-home-dev-my-dotted-dir',
    '/home/dev/under_score': '-home-dev-under-score',
    '/home/dev/with space': '-home-dev-with-space',
    '/home/dev/ünï-日本': '-home-dev--n----',
    '/home/dev/emoji😀x': '-home-dev-emoji--x',
    '/home/dev/.hidden': '-home-dev--hidden',
    '/home/dev/a--b': '-home-dev-a--b',
    '/Home/Dev': '-Home-Dev',
    'C:\\Users\\x': 'C--Users-x',
    '\\\\server\\share\\p': '--server-share-p',
    '/': '-',
    '': '',
  };
  const encoded = Object.fromEntries(Object.keys(table).map((cwd) => [cwd, encodeSlug(cwd)]));
  assert.deepEqual(encoded, table);
});

test('a path of 200 characters is not cut, a longer one is cut and gets the hash of the original path', () => {
  const exactly200 = `/${'a'.repeat(199)}`;
  assert.equal(encodeSlug(exactly200), `-${'a'.repeat(199)}`);
  // The hash of 'ab' is 97 * 31 + 98 = 3105; a run of NULs in front, which hash to zero, makes the path long enough.
  assert.equal(encodeSlug(`${'\0'.repeat(199)}ab`), `${'-'.repeat(199)}a-${(3105).toString(36)}`);
  assert.notEqual(encodeSlug(`/${'a'.repeat(200)}.x`), encodeSlug(`/${'a'.repeat(200)}_x`));
});

test('a hash of -2^31 keeps its absolute value', () => {
  // h('polygenelubricants') is the known string whose 31-hash is -2147483648.
  const path31 = `${'\0'.repeat(200)}polygenelubricants`;
  assert.equal(encodeSlug(path31), `${'-'.repeat(200)}-${(2147483648).toString(36)}`);
});

test('clients up to 2.1.45 never cut, so a long path has two slugs and a short one has one', () => {
  const long = `/home/${'x'.repeat(250)}`;
  assert.equal(encodeOldSlug(long), `-home-${'x'.repeat(250)}`);
  assert.deepEqual(slugsFor(long), [encodeSlug(long), encodeOldSlug(long)]);
  assert.deepEqual(slugsFor('/home/dev'), ['-home-dev']);
  assert.deepEqual(
    [slugMatches(encodeSlug(long), long), slugMatches(encodeOldSlug(long), long), slugMatches('-home', long)],
    [true, true, false],
  );
});

test('for any path the slug holds only letters, digits and dashes and is at most 207 long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (cwd) => {
      const slug = encodeSlug(cwd);
      assert.match(slug, /^[A-Za-z0-9-]{0,207}$/);
      assert.equal(encodeOldSlug(cwd).length, cwd.length);
      assert.ok(slugMatches(slug, cwd));
    }),
  );
});

test('the first working folder of every real session encodes to its project folder', () => {
  const real = path.join(corpusFolder, 'corpus/real');
  const wrong: string[] = [];
  let checked = 0;
  for (const file of filesBelow(real, '.jsonl')) {
    const slug = path.basename(path.dirname(file));
    const cwd = /"cwd":"([^"\\]*)"/.exec(readFileSync(file, 'utf8'))?.[1];
    if (!slug.startsWith('-') || cwd === undefined) continue;
    checked++;
    if (!slugMatches(slug, cwd)) wrong.push(`${file}: ${cwd}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(checked >= readdirSync(real).length, 'at least one session of each version was checked');
});
