import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findMentions } from '../../../../src/agent/prompt/mention.ts';
import { mentionPastedPictures } from '../../../../src/cli/console/input/pasted-pictures.ts';
import { temporaryFolder, writeTree } from '../../../support/temp-folder.ts';

test('the path of a dropped picture becomes a mention, however the terminal writes it', (t) => {
  const folder = temporaryFolder(t);
  const cwd = path.join(folder, 'app');
  const odd = "Shot at 9\u202fPM (it's).png";
  writeTree(folder, { 'app/a.png': '', 'app/my shot.JPG': '', [`app/${odd}`]: '', 'b.webp': '', 'app/notes.md': '' });
  const table: readonly (readonly [pasted: string, mention: string | undefined])[] = [
    [`${cwd}/a.png`, '@a.png '],
    [`${cwd}/a.png \n`, '@a.png '],
    ['a.png', '@a.png '],
    [`'${cwd}/my shot.JPG' `, '@"my shot.JPG" '],
    [`"${cwd}/my shot.JPG"`, '@"my shot.JPG" '],
    [`${cwd}/my\\ shot.JPG`, '@"my shot.JPG" '],
    [`${cwd}/my shot.JPG`, '@"my shot.JPG" '],
    [pathToFileURL(`${cwd}/my shot.JPG`).href, '@"my shot.JPG" '],
    [`${cwd}/Shot\\ at\\ 9\u202fPM\\ \\(it\\'s\\).png`, `@"${odd}" `],
    [`'${cwd}/Shot at 9\u202fPM (it'\\''s).png'`, `@"${odd}" `],
    [`'${cwd}/a.png' ${folder}/b.webp`, `@a.png @${folder}/b.webp `],
    [`${cwd}/notes.md`, undefined],
    [`${cwd}/gone.png`, undefined],
    [`${cwd}/a.png ${cwd}/gone.png`, undefined],
    ['see a.png', undefined],
    ["it's a.png", undefined],
    ['file://other-host/a.png', undefined],
    ['', undefined],
  ];
  assert.deepEqual(
    table.map(([pasted]) => [pasted, mentionPastedPictures(pasted, cwd)]),
    table,
  );
  const [mention] = findMentions(`look at @"${odd}" please`);
  assert.deepEqual(mention, { candidates: [odd] });
});
