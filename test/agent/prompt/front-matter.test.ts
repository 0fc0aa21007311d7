import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fieldFlag,
  fieldList,
  fieldText,
  fieldTools,
  parseFrontMatter,
} from '../../../src/agent/prompt/front-matter.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const fieldsOf = (...lines: readonly string[]) =>
  Object.fromEntries(parseFrontMatter(`---\n${lines.join('\n')}\n---\nbody`).fields);

test('text, quoted text, lists and long text are read, comments are not', () => {
  const head = [
    'plain: two words: and a colon   # a comment',
    '"quoted key": "a \\"b\\" \\u00e9\\n"  # more',
    "single: 'it''s'",
    'number: 12',
    '# a comment',
    'flow: [a, "b, c", \'d\']',
    'items:',
    '  - one',
    '  - "two, three"',
    'left:',
    '- at the edge',
    'folded: >-',
    '  first line',
    '  continues',
    '',
    '  second paragraph',
    'literal: |',
    '  keeps',
    '    its indent',
    'long: begins here',
    '  and continues',
    'empty:',
  ];
  assert.deepEqual(fieldsOf(...head), {
    plain: 'two words: and a colon',
    'quoted key': 'a "b" é\n',
    single: "it's",
    number: '12',
    flow: ['a', 'b, c', 'd'],
    items: ['one', 'two, three'],
    left: ['at the edge'],
    folded: 'first line continues\nsecond paragraph',
    literal: 'keeps\n  its indent',
    long: 'begins here and continues',
    empty: '',
  });
});

test('what YAML would refuse or run is plain text', () => {
  assert.deepEqual(
    fieldsOf('hint: [message] [flags]', 'tag: !!js/function "x"', 'anchor: &a b', 'glob: **/*.ts', 'open: "no end'),
    {
      hint: '[message] [flags]',
      tag: '!!js/function "x"',
      anchor: '&a b',
      glob: '**/*.ts',
      open: '"no end',
    },
  );
});

test('a nested mapping is left out, other fields are not', () => {
  assert.deepEqual(fieldsOf('name: a', 'hooks:', '  Stop:', '    - x: y', 'model: opus'), { name: 'a', model: 'opus' });
});

test('a key of the prototype is a key like any other, and the first of two is taken', () => {
  const { fields } = parseFrontMatter('---\n__proto__: x\nconstructor: y\nname: a\nname: b\n---\n');
  assert.deepEqual(
    [...fields],
    [
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['name', 'a'],
    ],
  );
});

test('without front matter at the very top everything is text', () => {
  for (const text of ['no head', '---\nname: a\n', 'x\n---\nname: a\n---\n', '', '--- \nname'])
    assert.deepEqual(parseFrontMatter(text), { fields: new Map(), body: text });
});

test('a byte order mark and Windows line ends are accepted', () => {
  assert.deepEqual(parseFrontMatter('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n'), {
    fields: new Map([['name', 'a']]),
    body: 'body\r\n',
  });
});

test('lists of tools are split at commas and spaces outside of brackets, lists of paths at commas', () => {
  const head = parseFrontMatter(
    '---\ntools: Bash(git add:*, x), Read Grep\npaths: src/{a,b}/*.ts, my docs/*\nhint: [a, b]\non: Yes\n---\n',
  );
  assert.deepEqual(fieldTools(head, 'tools'), ['Bash(git add:*, x)', 'Read', 'Grep']);
  assert.deepEqual(fieldList(head, 'paths'), ['src/{a,b}/*.ts', 'my docs/*']);
  assert.equal(fieldText(head, 'hint'), '[a, b]');
  assert.deepEqual(
    [fieldFlag(head, 'on'), fieldFlag(head, 'hint'), fieldFlag(head, 'off')],
    [true, undefined, undefined],
  );
});

test('no text makes the reader throw, and every text is still there', () => {
  const piece = fc.constantFrom(
    '---\n',
    '\n',
    'a: ',
    '- ',
    '[',
    ']',
    '"',
    "'",
    '|\n',
    '>\n',
    '  ',
    '#',
    '\\',
    'x',
    ':',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = `---\n${pieces.join('')}`;
      const { body } = parseFrontMatter(text);
      assert.ok(text.endsWith(body));
    }),
    { numRuns: fuzzRuns(2000) },
  );
});
