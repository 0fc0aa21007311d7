// The WebAssembly module gives every place where a rule matches: hand-written patterns, and all bundled rules on texts
// around the secrets of the table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { makeKeywordTable } from '../../../src/surgery/secrets/scan/keyword-table.ts';
import { compilePattern } from '../../../src/surgery/secrets/scan/pattern-program.ts';
import { scanText } from '../../../src/surgery/secrets/scan/scanner.ts';
import { placesOf, Trials } from '../../../src/surgery/secrets/trials.ts';
import { KeywordScanner } from '../../../src/surgery/secrets/view.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { secretRows } from './secret-table.ts';

/** The places of `key` where the program of a pattern matches. */
function placesIn(pattern: RegExp, text: string): number[] | undefined {
  const program = compilePattern(pattern);
  if (program === undefined) return undefined;
  const rule = { program, leads: [0], inWord: true };
  return scanText(makeKeywordTable([{ text: 'key', exact: false, rule }]), text)?.map(({ at }) => at);
}

/** Pattern, text, places. */
const cases: readonly (readonly [RegExp, string, readonly number[]])[] = [
  [/key-[a-f0-9]{4}/y, 'key-12af key-12ag key-12a', [0]],
  [/key-[a-f0-9]{4}/iy, 'KEY-12AF', [0]],
  [/key-[a-f0-9]{4}/y, 'KEY-12AF', []],
  [/key(?:=>|:=|[=:])\s?\w{2,3}!/y, 'key=>ab! key:= abc! key=abcd! key:a!', [0, 9]],
  [/key(?!s)\w*=/y, 'keys=1 key_a=1', [7]],
  [/key(?!s(?!t))\w*=/y, 'keys=1 keyst=1', [7]],
  [/key(?=\d)..!/y, 'key12! keya2!', [0]],
  [/key[^\s]{3}!/y, 'keyäöü! key✓✓✓! key  a!', [0, 8]],
  [/key(?![^a])b/y, 'keyb', []],
  // What is not compared counts as a match.
  [/(?<=x)key/y, 'akey', [1]],
  [/key(?:ab){2}c/y, 'keyabx', [0]],
  [/key(?!(?:ab){2})a/y, 'keyabab', [0]],
  [/key(?!é)./y, 'keyé', [0]],
];

test('a program matches where its pattern does', () => {
  for (const [pattern, text, expected] of cases) assert.deepEqual(placesIn(pattern, text), expected, String(pattern));
});

test('a pattern that is not understood has no program, and its length is known otherwise', () => {
  for (const pattern of [/key\p{L}/uy, /key(a)\1/y, /key.$/my]) assert.equal(compilePattern(pattern), undefined);
  const { before, after } = compilePattern(/(?<=a{2,3}b)key[a-z]{1,20}(?:=\d{2}){0,3}(?!-end)/y) ?? {};
  assert.ok(before !== undefined && before >= 4 && after !== undefined && after >= 3 + 20 + 9 + 4);
});

test('every bundled rule has a program', () => {
  assert.deepEqual(
    makeRuleSet().rules.filter((rule) => placesOf(rule) === undefined),
    [],
  );
});

const filling = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('\u3020', '\u0141', '\u00a0', '=', ': ', '"', "'", '\n', ' ', '/', '@', ','),
);

test('whatever surrounds and interrupts a secret, the module gives every place where a rule accepts a value', () => {
  const rules = makeRuleSet();
  const slow = new KeywordScanner(rules.scanner.keywords);
  let claims = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...secretRows),
      fc.array(filling, { minLength: 3, maxLength: 3 }),
      fc.nat(400),
      ({ before, value, after }, [left = '', middle = '', right = ''], at) => {
        const cut = at % 3 === 0 ? Math.min(at, value.length) : value.length;
        const secret = `${value.slice(0, cut)}${cut === value.length ? '' : middle}${value.slice(cut)}`;
        const text = `${'plain text '.repeat(20)}${left}${before}${secret}${after}${right}`;
        const claimed = (scanner: typeof slow): string[] => {
          const found: string[] = [];
          const trials = new Trials(text, rules, ({ rule }, from, to) => found.push(`${rule.title} ${from} ${to}`));
          scanner.scan(text, (owner, place) => trials.tryAt(owner, place));
          return found;
        };
        const expected = claimed(slow);
        claims += expected.length;
        assert.deepEqual(claimed(rules.scanner), expected);
      },
    ),
    { numRuns: fuzzRuns(5000) },
  );
  assert.ok(claims > 500, `${claims} values are accepted`);
});
