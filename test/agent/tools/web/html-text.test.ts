import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlToMarkdown } from '../../../../src/agent/tools/web/html-text.ts';

const base = new URL('https://example.com/dir/page');
const convert = (html: string): string => htmlToMarkdown(html, base);

test('a page becomes Markdown', () => {
  const html = `<!DOCTYPE html><head><title>The title</title><style>p{}</style></head>
    <body><nav><a href="#top">skip</a></nav><h2>Part  one</h2>
    <p>Some <b>bold</b>, <em>soft</em> and <code>a &lt; b</code><br>next line</p>
    <ul><li>one<ul><li>inner</li></ul></li><li><a href='two.html?a=1&amp;b=2'>two</a></li></ul>
    <ol><li>first</li><li>second</li></ol>
    <pre>  keep
    this &amp; that</pre>
    <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
    <img src=x alt="a picture"><hr><svg><text>no</text></svg><script>if (a < b) "</p>"</script>end</body>`;
  assert.equal(
    convert(html),
    [
      'The title',
      '',
      'skip',
      '',
      '## Part one',
      '',
      'Some **bold**, *soft* and `a < b`',
      'next line',
      '',
      '- one',
      '',
      '  - inner',
      '',
      '- [two](https://example.com/dir/two.html?a=1&b=2)',
      '',
      '1. first',
      '2. second',
      '',
      '```',
      '  keep',
      '    this & that',
      '```',
      '',
      '| a | b |',
      '| 1 | 2 |',
      '',
      '[image: a picture]',
      '',
      '---',
      '',
      'end',
    ].join('\n'),
  );
});

test('unsafe links are only text', () => {
  assert.equal(
    convert('<a href="javascript:alert(1)">a</a> <a href="data:text/html,x">b</a> <a>c</a> <a href="//h/x">d</a>'),
    'a b c [d](https://h/x)',
  );
});

test('broken markup is read as browsers read it', () => {
  assert.equal(convert('a < b <c d="e>f'), 'a < b');
  assert.equal(convert('x<!-- never closed <p>y'), 'x');
  assert.equal(convert('x<script>never closed'), 'x');
  assert.equal(convert('</p></ul></a></pre>x<//>y<>z'), 'xy<>z');
  assert.equal(
    convert('&unknown; &#0; &#xD800; &#x1F600; &copy &constructor;'),
    '&unknown; \ufffd \ufffd 😀 © &constructor;',
  );
  assert.ok(convert('\ud83d<p>\udc00').isWellFormed());
});

test('a page of broken tags does not become many times longer', () => {
  const count = 5000;
  for (const piece of [
    '<',
    '<a ',
    '<a b="',
    "<a b='>",
    '<!--',
    '<!',
    '</',
    '<ul><li>',
    '<script',
    '&',
    '&#',
    '<pre>',
    '<a href=x>',
    ' \t',
  ])
    assert.ok(convert(piece.repeat(count)).length <= count * 40, piece);
});

test('nesting of any depth is read', () => {
  const depth = 200_000;
  assert.equal(convert(`${'<div>'.repeat(depth)}deep${'</div>'.repeat(depth)}`), 'deep');
});
