// A message of several megabytes in a real browser: its beginning is Markdown, the rest is plain text in steps, and shown
// Markdown is not parsed again.
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
  // The first click fetches the whole text and shows one step; each further click shows one more.
  for (const shown of [stretch, limit]) {
    await more.click();
    await isTrue(page, `${marked} === ${Math.floor(shown / paragraph.length)}`);
  }
  await hasCount(page, '.answer .plain', 0);
  for (const shown of [3, 4, 5].map((times) => times * stretch)) {
    await more.click();
    await isTrue(page, `(document.querySelector('.answer .plain')?.textContent ?? '').length > ${shown - limit}`);
    await isTrue(page, `${marked} === ${Math.floor(limit / paragraph.length)}`);
    // The cut is at a paragraph once there is more text; from then on the Markdown does not change.
    const first = `document.querySelector('.answer .prose').firstElementChild`;
    await isTrue(page, `(${first}.isKept ?? false) === ${shown > 3 * stretch}`);
    await page.evaluate(`${first}.isKept = true`);
  }
  await page.getByText('The rest is shown as plain text.').waitFor();
  await noComplaints(opened);
});
