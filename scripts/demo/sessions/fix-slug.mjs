// Reading, editing and a test that fails before it passes.
import { bash, createDisk, failedBash, text } from '../tools.mjs';
import { createTranscript } from '../transcript.mjs';

const root = '/home/ada/lighthouse';
const source = `${root}/src/slug.ts`;
const test = `${root}/test/slug.test.ts`;

const files = {
  [source]: `/** Turns a page title into the last part of its address. */
export function slugify(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
`,
  [test]: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/slug.js';

test('words are joined by hyphens', () => {
  assert.equal(slugify('A light in the fog'), 'a-light-in-the-fog');
});

test('letters with marks keep their base letter', { todo: true }, () => {
  assert.equal(slugify('Über uns'), 'uber-uns');
});

test('a street name survives', () => {
  assert.equal(slugify('Leuchtturmstraße 7'), 'leuchtturmstrasse-7');
});
`,
};

export function fixSlug() {
  const s = createTranscript({
    name: 'fix-slug',
    cwd: root,
    gitBranch: 'fix/slugs',
    start: '2026-03-02T08:14:05.000Z',
    model: 'claude-sonnet-4-5-20250929',
    cache: '5m',
  });
  const disk = createDisk(files);
  const runTests = ['npm test -- slug', 'Run the slug tests'];

  s.prompt(
    '"Über uns.md" ends up at /ber-uns/, but every old link says /uber-uns/. can you fix slugify? its test is next door',
  );
  s.respond(text("I'll read the function and its test before touching either."), disk.read(source), disk.read(test));
  s.respond(
    text(
      '`[^a-z0-9]+` throws away every letter outside ASCII. Splitting each letter from its mark first keeps the letter.',
    ),
    disk.edit(
      source,
      "    .toLowerCase()\n    .replace(/[^a-z0-9]+/g, '-')",
      "    .toLowerCase()\n    .normalize('NFD')\n    .replace(/\\p{M}/gu, '')\n    .replace(/[^a-z0-9]+/g, '-')",
    ),
    disk.edit(test, "base letter', { todo: true }, () => {", "base letter', () => {"),
  );
  s.respond(
    failedBash(
      ...runTests,
      1,
      `✔ words are joined by hyphens (0.81ms)
✔ letters with marks keep their base letter (0.12ms)
✖ a street name survives (1.34ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  + 'leuchtturmstra-e-7'
  - 'leuchtturmstrasse-7'
ℹ pass 2
ℹ fail 1`,
      1_900,
    ),
  );
  s.respond(
    text(
      'The umlauts work now. `ß` is a letter of its own, with no mark to take off, so it needs to be spelled out, and so do its northern cousins.',
    ),
    disk.edit(
      source,
      `/** Turns a page title into the last part of its address. */
`,
      `// Letters that Unicode does not take apart into a base letter and a mark.
const spelledOut: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', þ: 'th' };

/** Turns a page title into the last part of its address. */
`,
    ),
  );
  s.respond(
    disk.edit(
      source,
      "    .replace(/\\p{M}/gu, '')\n",
      "    .replace(/\\p{M}/gu, '')\n    .replace(/[ßæœøđłþ]/g, (letter) => spelledOut[letter] ?? '')\n",
    ),
  );
  s.respond(
    bash(
      ...runTests,
      `✔ words are joined by hyphens (0.79ms)
✔ letters with marks keep their base letter (0.11ms)
✔ a street name survives (0.09ms)
ℹ pass 3
ℹ fail 0`,
      1_850,
    ),
  );
  s.respond(
    text(`## Fixed

\`slugify\` now works in three steps:

1. **take marks off** – \`ü\` → \`u\`, \`é\` → \`e\` (\`normalize('NFD')\`, then drop \`\\p{M}\`)
2. **spell out** the letters that have no mark to take off – \`ß\` → \`ss\`, \`ø\` → \`o\`
3. **hyphenate** the rest, as before

\`\`\`ts
slugify('Über uns');            // 'uber-uns'
slugify('Leuchtturmstraße 7');  // 'leuchtturmstrasse-7'
\`\`\`

All three tests pass, and the one that was marked \`todo\` counts again.`),
  );

  s.wait(95);
  s.prompt('lovely. does any page that is already live change its address?');
  s.respond(
    bash(
      'node scripts/urls.mjs --against dist/urls.json',
      'Compare page addresses with the last release',
      `changed  content/ueber-uns/Über uns.md   /ber-uns/ -> /uber-uns/
changed  content/team/Søren.md           /s-ren/ -> /soren/
same     61 pages`,
      760,
    ),
  );
  s.respond(
    text(`Two of 63 pages move:

| page | was | is |
| --- | --- | --- |
| Über uns | \`/ber-uns/\` | \`/uber-uns/\` |
| Søren | \`/s-ren/\` | \`/soren/\` |

Both old addresses were never linked from the site itself. If you want to be kind to bookmarks, two lines in \`redirects.txt\` cover it.`),
  );
  s.aiTitle('Keep accented letters in page addresses');
  return s;
}
