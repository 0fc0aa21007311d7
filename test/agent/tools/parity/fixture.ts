// The folder in which the calls of the comparison run, the same for the client and for Clew. `time` orders the files by
// their change.
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePdf } from './make-pdf.ts';
import { notebookText } from './notebook.ts';

export function writeFixture(folder: string): void {
  const files: Record<string, string | Buffer> = fixtureFiles();
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, index));
    utimesSync(file, time, time);
  }
  mkdirSync(path.join(folder, 'empty-folder'), { recursive: true });
  mkdirSync(path.join(folder, 'sub with blank'), { recursive: true });
  symlinkSync('nowhere', path.join(folder, 'broken-link'));
  symlinkSync('lines.txt', path.join(folder, 'good-link'));
}

function fixtureFiles(): Record<string, string | Buffer> {
  return {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/config': '[core]\n\trepositoryformatversion = 0\n',
    '.git/objects/info/keep': '',
    '.git/refs/heads/.keep': '',
    'lines.txt': numbered(10),
    'no-newline.txt': 'one\ntwo',
    'empty.txt': '',
    'blank.txt': '\n\n\n',
    'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
    'bom.txt': '\ufeffone\ntwo\n',
    'long-line.txt': `${'x'.repeat(5000)}\nshort\n`,
    'many.txt': numbered(2500),
    'large.txt': `${'word '.repeat(20)}\n`.repeat(3000),
    'huge.txt': `${'word '.repeat(20)}\n`.repeat(30_000),
    'binary.bin': Buffer.from([0, 1, 2, 3, 255, 254, 0, 0, 7, 8, 9]),
    'program.exe': Buffer.from([0x4d, 0x5a, 0, 1, 2, 3]),
    'nul.txt': 'a\0b\n',
    'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
    'readme.md': '# Title\n\nSome text\n',
    'src/app.ts': 'export const answer = 41;\nfunction run() {\n  return answer;\n}\n',
    'src/deep/inner.ts': 'const inner = 1;\n',
    'src/deep/inner.test.ts': 'test();\n',
    'src/.hidden.ts': 'hidden();\n',
    'top.ts': 'const top = 1;\n',
    'style.css': 'a { color: red }\n',
    '.gitignore': 'ignored.ts\nbuild/\n',
    '.env.example': 'A=1\n',
    'ignored.ts': 'const ignored = 1;\n',
    'build/out.ts': 'const out = 1;\n',
    'node_modules/lib/index.ts': 'const lib = 1;\n',
    'grep/a.txt': 'alpha\nbeta\nAlpha beta\ngamma\n',
    'grep/b.txt': 'alpha alpha\nthe end\n',
    'grep/c.js': 'function alpha() {\n  return 1;\n}\n',
    'grep/wide.txt': `needle ${'y'.repeat(700)}\n`,
    'curly.txt': 'He said \u201chello\u201d and \u2018bye\u2019.\nDon\u2019t.\n',
    'trailing.txt': 'first  \nsecond\t\nthird\n',
    'tabs.txt': 'if (x) {\n\treturn 1;\n}\n',
    'twice.txt': 'same\nother\nsame\n',
    ...Object.fromEntries(editFiles.map((name) => [`edit/${name}.txt`, 'one\ntwo\nthree\n'])),
    'nb/plain.ipynb': notebookText('plain'),
    'nb/old.ipynb': notebookText('old'),
    'nb/empty.ipynb': '',
    'nb/bad.ipynb': '{ "cells": [',
    'nb/no-cells.ipynb': '{ "metadata": {} }',
    ...Object.fromEntries(notebookEdits.map((name) => [`nb/${name}.ipynb`, notebookText('plain')])),
    ...Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`hundred/${i}.txt`, `${i}\n`])),
    'pdf/one.pdf': makePdf(1),
    'pdf/three.pdf': makePdf(3),
    'pdf/twelve.pdf': makePdf(12),
    'pdf/thirty.pdf': makePdf(30),
    'pdf/cut.pdf': makePdf(3).subarray(0, 400),
    'pdf/not.pdf': 'this is not a pdf\n',
    'pdf/empty.pdf': '',
    'pdf/pdf-without-name': makePdf(1),
  };
}

/** Each is changed by one call only. */
export const editFiles: readonly string[] = 'a b c d e f g h i j k l m n o p q r s t u v w x y z'.split(' ');
export const notebookEdits: readonly string[] = 'e1 e2 e3 e4 e5 e6 e7 e8 e9 e10 e11 e12 e13 e14'.split(' ');

function numbered(count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');
}
