// The check of banned phrases finds what is planted, and leaves plain English alone.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './support/paths.ts';

interface PhraseFile {
  readonly path: string;
  readonly text: string;
}

interface Exemption {
  readonly why: string;
  readonly texts: readonly string[];
}

interface PhraseCheck {
  findPhrases(files: readonly PhraseFile[], exemptions?: readonly Exemption[]): string[];
  unusedExemptions(files: readonly PhraseFile[], exemptions?: readonly Exemption[]): string[];
}

const script = pathToFileURL(path.join(projectRoot, 'scripts/phrases.mjs')).href;
const { findPhrases, unusedExemptions }: PhraseCheck = await import(script);

const banned = [
  'what unsettles a shell',
  'the file stands there',
  'a stand-in for the text',
  'the user is told why',
  'it tells the page',
  'a line behind the prompt',
  'a text that is no JSON',
  'where there was one, is none',
  'the index is made anew',
  '--fix mends it',
  'a session that heals',
  'a repair needs your word',
  'port 80 is not yours to use',
  'the file beside it',
  'and more besides.',
  'it starts by itself',
  'somebody else wrote it',
  'a person must agree',
  'for who reads it',
  'what is to be done',
  'the turn goes on',
  'it takes up the work',
  'the end thereof',
  'counted from nought',
  'it is shown all the same',
  'inside of a page',
  'it gives back the text',
  'the bytes as they came',
  'it reads what is there',
  'class Shelf {}',
  'new RosterChange()',
  'class NewsDesk {}',
  'const surroundings = 1',
  'interface Patient {}',
  'const startTelling = 1',
  'class ParcelRedactor {}',
];

const plain = [
  'the letters stand for the states',
  'a standalone file, understood and outstanding',
  'tell the two apart',
  'tells a copy from an original',
  'behind a gateway',
  'a crash leaves a lock behind',
  'there is no session',
  'it is no longer read',
  'there are none',
  'the sum goes on the next line',
  'recommended, amended',
  'it is none of the types',
  'a row that stands out',
  'for (const { nodes, beside } of branches)',
  'readonly beside: number; line.beside, `beside`',
  'the bottom of the shelfware', // a word that only contains one
];

test('every banned phrase is found, with file, line and what to write instead', () => {
  for (const text of banned) {
    const found = findPhrases([{ path: 'docs/a.md', text: `fine\n${text}` }], []);
    assert.ok(found.length > 0, text);
    assert.match(found[0] ?? '', /^docs\/a\.md:2: ".+" \(.+\): /);
  }
});

test('plain English passes', () => {
  assert.deepEqual(
    plain.flatMap((text) => findPhrases([{ path: 'docs/a.md', text }], [])),
    [],
  );
});

test('a phrase is found across the end of a line, and counted once', () => {
  const check = (text: string): string[] =>
    findPhrases([{ path: 'src/a.ts', text }], []).map((each) => each.slice(0, 18));
  assert.deepEqual(check('// the turn goes\n  // on after that\n// and ends'), ['src/a.ts:2: "goes ']);
  assert.deepEqual(check('where there\nis no output'), []);
  assert.deepEqual(check('it is told\nby a line'), ['src/a.ts:1: "told"']);
});

test('an exempt text passes, and the rest of its line is still checked', () => {
  const exemptions = [{ why: 'a prompt', texts: ["'go on'"] }];
  const check = (text: string): number => findPhrases([{ path: 'test/a.ts', text }], exemptions).length;
  assert.deepEqual([check("say('go on');"), check("say('go on'); // it goes on"), check("say('go on!');")], [0, 1, 1]);
});

test('an exemption that nothing needs is reported', () => {
  const exemptions = [{ why: 'a prompt', texts: ["'go on'", "'tell me'"] }];
  assert.deepEqual(unusedExemptions([{ path: 'test/a.ts', text: "say('go on');" }], exemptions), [
    'scripts/phrases-exempt.mjs: nothing contains "\'tell me\'"; remove the exemption',
  ]);
});

test('a vague name that three files of src define is found', () => {
  const define = (file: string, text: string): PhraseFile => ({ path: file, text });
  const two = [
    define('src/a.ts', 'function textOf(): string {}'),
    define('src/b.ts', 'export const textOf = 1;'),
    define('src/c.ts', 'return textOf(a);'),
    define('test/d.ts', 'function textOf(): string {}'),
  ];
  assert.deepEqual(findPhrases(two, []), []);
  assert.deepEqual(findPhrases([...two, define('src/e.ts', 'export async function textOf() {}')], []), [
    '"textOf" is defined in 3 files (use specific names): src/a.ts, src/b.ts, src/e.ts',
  ]);
});
