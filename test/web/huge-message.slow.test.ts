// A message of megabytes in a real browser: its beginning is Markdown, the rest plain text a stretch at a time, and what is
// shown already is not read as Markdown again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, skipWithoutChromium } from '../support/browser.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { openWebServer } from '../support/web-server.ts';
import { at, hasCount, isTrue, noComplaints } from './page-kit.ts';

const paragraph = `${'word '.repeat(19)}*ok*\n\n`; // 101 characters
const stretch = 100_000;
const limit = 200_000;

test('a huge message is Markdown up to the limit, then plain text', { skip: skipWithoutChromium }, async (context) => {
  const text = transcript().user('write').assistant(paragraph.repeat(30_000)).text();
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: text });
  const opened = await openPage(at(server, `/s/${sessionId}`));
  const { page } = opened;
  const marked = `document.querySelectorAll('.answer .prose em').length`;
  const more = page.locator('.answer button.more');
  await more.waitFor();
  // The first click fetches the whole and shows a stretch of it, every other one a stretch more.
  for (const shown of [stretch, limit]) {
    await more.click();
    await isTrue(page, `${marked} === ${Math.floor(shown / paragraph.length)}`);
  }
  await hasCount(page, '.answer .plain', 0);
  for (const shown of [3, 4, 5].map((times) => times * stretch)) {
    await more.click();
    await isTrue(page, `(document.querySelector('.answer .plain')?.textContent ?? '').length > ${shown - limit}`);
    assert.equal(await page.evaluate(marked), Math.floor(limit / paragraph.length));
    // The cut is at a paragraph once there is a rest; from then on the Markdown stays as it is.
    const first = `document.querySelector('.answer .prose').firstElementChild`;
    assert.equal(await page.evaluate(`${first}.isKept ?? false`), shown > 3 * stretch);
    await page.evaluate(`${first}.isKept = true`);
  }
  assert.match(await page.locator('.answer').innerText(), /The rest is shown as plain text\./);
  await noComplaints(opened);
});
