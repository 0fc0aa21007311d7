// What the text of calls proves about files: shell commands, patches, stored results. Expected values are written by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectsOf, readPatch, toolEdits } from '../../src/authorship/calls/index.ts';

test('here-documents, echo, tee and append have their content', () => {
  const { edits } = effectsOf(
    [
      "cd /w && cat > a.txt <<'EOF'",
      'one $HOME',
      'EOF',
      'echo "two words" >> "b c.txt"',
      'printf "%s\\n" x y > c.txt; tee -a d.txt <<-END',
      '\tthree',
      'END',
    ].join('\n'),
    '/start',
  );
  assert.deepEqual(edits, [
    { path: '/w/a.txt', action: { kind: 'content', text: 'one $HOME\n' } },
    { path: '/w/b c.txt', action: { kind: 'append', text: 'two words\n' } },
    { path: '/w/c.txt', action: { kind: 'content', text: 'x\ny\n' } },
    { path: '/w/d.txt', action: { kind: 'append', text: 'three\n' } },
  ]);
});

test('commands with an unknown effect are opaque, and commands that only read are nothing', () => {
  const kinds = (command: string): readonly string[] =>
    effectsOf(command, '/w').edits.map(({ path, action }) => `${action.kind} ${path}`);
  assert.deepEqual(kinds('cp x.ts y.ts'), ['opaque /w/y.ts']);
  assert.deepEqual(kinds('sort a.ts > b.ts'), ['opaque /w/b.ts']);
  assert.deepEqual(kinds("python3 -c \"open('f.ts','w').write('x')\"")[0], 'opaque /w/f.ts');
  assert.deepEqual(
    kinds('cat a.ts | grep x; node a.ts; git add a.ts && git commit -m "a > b"; wc -l < a.ts 2>/dev/null'),
    [],
  );
  assert.deepEqual(kinds("sed -n 1,5p a.ts; sed 's/a/b/' a.ts"), []);
});

test('moves are found with their folders', () => {
  assert.deepEqual(effectsOf("git -C /r mv 'a b.ts' c.ts && mv x y dir", '/w').moves, [
    { from: '/r/a b.ts', to: '/r/c.ts' },
    { from: '/w/x', to: '/w/dir/x' },
    { from: '/w/y', to: '/w/dir/y' },
  ]);
});

test('a substitution means the same as in sed', () => {
  const by = (command: string, line: string): string | undefined => {
    const [edit] = effectsOf(command, '/w').edits;
    return edit?.action.kind === 'substitute' ? line.replace(edit.action.pattern, edit.action.by) : edit?.action.kind;
  };
  assert.equal(by("sed -i 's/a(b)/[&]/g' f", 'a(b) a(b)'), '[a(b)] [a(b)]');
  assert.equal(by("sed -i -E 's/(a+)b/\\1$/' f", 'aab'), 'aa$');
  assert.equal(by("sed -i 's#/x#/y#' f", '/x'), '/y');
  assert.equal(by("sed -i 's/\\(a\\)/<\\1>/' f", 'a'), '<a>');
  assert.equal(by("sed -i '3d' f", 'a'), 'opaque');
  // It would take forever on a hostile line.
  assert.equal(by("sed -i -E 's/(a+)+$/x/' f", 'a'), 'opaque');
});

test('patches in both forms', () => {
  const unified = ['--- a/x.ts', '+++ b/x.ts', '@@ -1,2 +1,3 @@', ' one', '-two', '+TWO', '+three', ''].join('\n');
  assert.deepEqual(readPatch(unified), [
    {
      path: 'x.ts',
      movedFrom: undefined,
      content: undefined,
      replacements: [{ from: 'one\ntwo', to: 'one\nTWO\nthree', isEverywhere: false }],
    },
  ]);
  const marked = [
    '*** Begin Patch',
    '*** Add File: n.ts',
    '+one',
    '*** Update File: u.ts',
    '@@',
    '-a',
    '+b',
    '*** End Patch',
  ];
  assert.deepEqual(
    readPatch(marked.join('\n')).map(({ path, content, replacements }) => [path, content, replacements.length]),
    [
      ['n.ts', 'one\n', 0],
      ['u.ts', undefined, 1],
    ],
  );
});

test('the stored patch wins over the input, and CRLF is a newline', () => {
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-one', '+ONE!'] };
  const result = { filePath: '/w/a', originalFile: 'one\r\ntwo\r\n', structuredPatch: [hunk], userModified: true };
  const [edit] = toolEdits('Edit', { file_path: '/w/a', old_string: 'one', new_string: 'ONE' }, result);
  assert.equal(edit?.before, 'one\ntwo\n');
  assert.equal(edit?.after, 'ONE!\ntwo\n');
  assert.deepEqual([...(edit?.ownLines ?? [])], ['ONE']);
});
