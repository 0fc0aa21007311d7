import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Lexer } from 'marked';
import { displayWidth } from '../../../src/base/text/terminal-text.ts';
import { renderMarkdown } from '../../../src/cli/markdown/markdown.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { projectRoot } from '../../support/paths.ts';

const style = createStyle(false);
const render = (text: string, width = 40): string[] => renderMarkdown(text, { width, style }).split('\n');

interface Example {
  readonly what: string;
  readonly markdown: string;
  readonly lines: readonly string[];
}

const examples: readonly Example[] = [
  {
    what: 'a heading keeps its marks and wraps after them',
    markdown: '## What was found in the transcript of today',
    lines: ['## What was found in the transcript of', '   today'],
  },
  {
    what: 'a paragraph is wrapped, and its own line ends stay',
    markdown: 'One sentence that is longer than forty columns.\nAnother.\n\nNew paragraph.',
    lines: ['One sentence that is longer than forty', 'columns.', 'Another.', '', 'New paragraph.'],
  },
  {
    what: 'emphasis is plain, deletion and code keep their marks',
    markdown: '*em* **strong** ***both*** ~~gone~~ `a  b` ``x ` y``',
    lines: ['em strong both ~~gone~~ `a  b` ``x ` y``'],
  },
  {
    what: 'a link shows where it leads, a bare one only once',
    markdown: '[text](http://a.b/c "title") http://d.e <me@f.g> [http://h.i](http://h.i)',
    lines: ['text (http://a.b/c) http://d.e me@f.g', 'http://h.i'],
  },
  { what: 'an image is named', markdown: '![a cat](cat.png) ![](dog.png)', lines: ['[image: a cat] [image: dog.png]'] },
  {
    what: 'lists nest and hang',
    markdown: '- one\n- two that is long for more than one line\n  - inner\n    - innermost',
    lines: ['- one', '- two that is long for more than one', '  line', '  - inner', '    - innermost'],
  },
  {
    what: 'ordered lists count from their start and align',
    markdown: '9. nine\n10. ten\n\n    more of ten',
    lines: [' 9. nine', '', '10. ten', '', '    more of ten'],
  },
  {
    what: 'tasks show their boxes',
    markdown: '- [x] done\n- [ ] open\n\nand\n\n- [ ] loose\n\n- [X] list',
    lines: ['- [x] done', '- [ ] open', '', 'and', '', '- [ ] loose', '', '- [x] list'],
  },
  {
    what: 'quotes have a bar, one for each level',
    markdown: '> a quote that is longer than the line is wide\n>\n> > inner\n\n>',
    lines: ['│ a quote that is longer than the line', '│ is wide', '│', '│ │ inner', '', '│'],
  },
  {
    what: 'code is kept as it is, however long',
    markdown: '```ts\nif (a)  {\n\treturn "a line that is much longer than forty columns";\n\n}\n```\n\n    indented',
    lines: [
      '    if (a)  {',
      '    \treturn "a line that is much longer than forty columns";',
      '',
      '    }',
      '',
      '    indented',
    ],
  },
  {
    what: 'code in a list item is indented with it',
    markdown: '1. do\n\n   ```\n   x\n   ```',
    lines: ['1. do', '', '       x'],
  },
  {
    what: 'a table is aligned, CJK included',
    markdown: '| left | mid | right |\n|:--|:-:|--:|\n| a | b | c |\n| 中文字 | `d` | 1,000 |',
    lines: ['left    mid  right', '──────  ───  ─────', 'a        b       c', '中文字  `d`  1,000'],
  },
  {
    what: 'a table wider than the line wraps its cells and parts its rows',
    markdown: '| name | meaning |\n|--|--|\n| a | something that takes two lines to say |\n| b | short |',
    lines: [
      'name  meaning',
      '────  ──────────────────────────────────',
      'a     something that takes two lines to',
      '      say',
      '',
      'b     short',
    ],
  },
  {
    what: 'a table of too many columns becomes a list of its rows',
    markdown: `|${'name|'.repeat(12)}\n|${'-|'.repeat(12)}\n|${'v|'.repeat(12)}`,
    lines: Array.from({ length: 12 }, () => 'name: v'),
  },
  { what: 'a rule crosses the page', markdown: 'a\n\n---\n\nb', lines: ['a', '', '─'.repeat(40), '', 'b'] },
  {
    what: 'HTML is shown as text',
    markdown: '<details>\n<summary>x</summary>\n</details>\n\na <b>bold</b> <!-- no -->',
    lines: ['<details>', '<summary>x</summary>', '</details>', '', 'a <b>bold</b> <!-- no -->'],
  },
  {
    what: 'character references are resolved outside code, and the result is neutralised',
    markdown: '&lt;a&gt; &amp;amp; `&lt;` &#27;c &#x202e; &nope; &#0; [x](&#27;y) ![&#27;z](a) http://a?b&lt;c',
    lines: ['<a> &amp; `&lt;` ␛c ‹U+202E› &nope; \ufffd x', '(␛y) [image: ␛z] http://a?b&lt;c'],
  },
  { what: 'escaped marks are text', markdown: '\\*not em\\* 1\\. x', lines: ['*not em* 1. x'] },
  { what: 'a hard break breaks', markdown: 'a  \nb\\\nc', lines: ['a', 'b', 'c'] },
  {
    what: 'a link definition is not hidden',
    markdown: '[a]\n\n[a]: http://b',
    lines: ['a (http://b)', '', '[a]: http://b'],
  },
  {
    what: 'CJK text breaks between characters',
    markdown: '这是一个很长的中文段落，用来检查换行是否正确。每个汉字占两列。',
    lines: ['这是一个很长的中文段落，用来检查换行是否', '正确。每个汉字占两列。'],
  },
  { what: 'terminal sequences are gone before anything else', markdown: '# a\x1b[2J\x1b]0;x\x07', lines: ['# a'] },
  { what: 'nothing is nothing', markdown: ' \n\n', lines: [''] },
];

for (const { what, markdown, lines } of examples) {
  test(`Markdown: ${what}`, () => assert.deepEqual(render(markdown), lines));
}

test('the indent is part of the width and leaves empty lines empty', () => {
  const text = renderMarkdown('one two three four five six\n\nb', { width: 24, style, indent: 4 });
  assert.equal(text, '    one two three four\n    five six\n\n    b');
});

describe('Markdown in colour', () => {
  const colored = (text: string): string => renderMarkdown(text, { width: 30, style: createStyle(true) });

  test('headings lose their marks', () => {
    assert.equal(colored('# One'), '\x1b[4m\x1b[1m\x1b[34mOne\x1b[39m\x1b[22m\x1b[24m');
    assert.equal(colored('### Three'), '\x1b[1mThree\x1b[22m');
  });

  test('code loses its backticks, links are underlined', () => {
    assert.equal(colored('`a` *b* [c](d)'), '\x1b[36ma\x1b[39m \x1b[3mb\x1b[23m \x1b[4mc\x1b[24m\x1b[90m (d)\x1b[39m');
  });

  test('code in strong text is strong too', () => {
    assert.equal(colored('**a `b`**'), '\x1b[1ma \x1b[22m\x1b[1m\x1b[36mb\x1b[39m\x1b[22m');
  });

  test('a colour ends with its line and never reaches the bar of a quote', () => {
    assert.equal(
      colored('> **aaaaaaaaaaaaaaa bbbbbbbbbbbbbbb**'),
      '\x1b[90m│\x1b[39m \x1b[1maaaaaaaaaaaaaaa\x1b[22m\n\x1b[90m│\x1b[39m \x1b[1mbbbbbbbbbbbbbbb\x1b[22m',
    );
  });
});

describe('Markdown that is hostile', () => {
  const mark = fc.constantFrom(
    ...[
      '#',
      '-',
      '*',
      '_',
      '>',
      '`',
      '~',
      '|',
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '&',
      '\\',
      '1.',
      ':',
      '=',
      '\n',
      '\n\n',
      ' ',
      '    ',
      '\t',
    ],
    ...['a', 'word', '中', '👩‍👩‍👧', 'http://x.y/z', '\x1b[31m', '\x1b', '\r', '&#27;', '&#x9b;', '<!--', '[x]', '|-|'],
  );
  const soup = fc.array(mark, { maxLength: 60 }).map((parts) => parts.join(''));

  test('never throws and never lets an escape through', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' }), fc.string()), fc.nat(100), (text, width) => {
        assert.doesNotMatch(renderMarkdown(text, { width, style }), /[\x1b\x9b\r]/);
      }),
    );
  });

  test('without code and tables only an unbreakable word is wider than the width', () => {
    const prose = soup.map((text) => text.replace(/[`~|\t]/g, '').replace(/ {2,}/g, ' '));
    const prefix = /^(?:[│ ]|- |\d+\. |\[[ x]\] |#{1,6} )*/;
    fc.assert(
      fc.property(prose, fc.integer({ min: 20, max: 60 }), (text, width) => {
        for (const line of render(text, width)) {
          if (displayWidth(line) > width) assert.doesNotMatch(line.replace(prefix, ''), / /);
        }
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  test('nesting stops indenting before the text has no room, and stops nesting before the stack has none', () => {
    const quotes = render(`${'>'.repeat(100_000)} deep`, 30);
    assert.ok(quotes.some((line) => line.endsWith(' deep')));
    const list = Array.from({ length: 60 }, (_, depth) => `${'  '.repeat(depth)}- item ${depth}`).join('\n');
    const lines = render(list, 30);
    assert.ok(lines.every((line) => displayWidth(line) <= 30));
    assert.equal(lines.join('\n').match(/item \d+/g)?.length, 60);
  });

  test('a paragraph that would take marked minutes is shown as text', () => {
    const line = 'a.b-c_'.repeat(30_000);
    assert.deepEqual(render(`${line}\n\n*ok*`), [line, '', 'ok']);
  });

  test('of a huge text the beginning is Markdown and the rest plain text, and only so much of it is parsed and wrapped', (context) => {
    const parsed: number[] = [];
    const { lex } = Lexer.prototype;
    context.mock.method(Lexer.prototype, 'lex', function (this: Lexer, text: string) {
      parsed.push(text.length);
      return lex.call(this, text);
    });
    const paragraph = `${'word '.repeat(19)}*ok*\n\n`; // 101 characters
    const text = paragraph.repeat(60_000);
    const lines = render(text);
    assert.equal(parsed.length, 1);
    assert.ok((parsed[0] ?? 0) <= 200_000 && (parsed[0] ?? 0) > 199_000, `${parsed}`);
    // Markdown loses its marks; plain text keeps them, and beyond a million characters also its long lines.
    assert.equal(lines.filter((line) => line.endsWith(' ok')).length, 1980);
    assert.equal(lines.filter((line) => line.endsWith('*ok*')).length, 60_000 - 1980);
    const long = lines.filter((line) => line === `${'word '.repeat(19)}*ok*`).length;
    assert.equal(long, 60_000 - 1980 - Math.ceil(1_000_000 / 101));
    const notes = lines.filter((line) => line.includes('the rest is shown as plain text'));
    assert.deepEqual(notes, ['(the rest is shown as plain text,']);
  });
});

test('the documents of this project render within the width, code and tables apart', () => {
  const text = readFileSync(path.join(projectRoot, 'src/README.md'), 'utf8');
  assert.ok(render(text, 60).every((line) => line.startsWith('    ') || displayWidth(line) <= 60));
});
