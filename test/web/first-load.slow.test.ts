// What Chromium requests before it shows the library or a session: nothing that first-load.test.ts does not count.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser, skipWithoutChromium, slowDown } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { transcript } from '../support/transcript-builder.ts';
import { openWebServer } from '../support/web-server.ts';
import { firstFiles, limitBytes } from './first-files.ts';
import { at } from './page-kit.ts';

const id = '11111111-1111-4111-a111-111111111111';
const pages = [
  { address: '/', views: ['library-view'], shown: '.session-rows tr' },
  { address: `/s/${id}`, views: ['session-view', 'side'], shown: '[data-loaded] .prose' },
] as const;

/** What a session page loads a second after its first view is not part of it, and must not come before it on a slow machine. */
const withoutLater = `{
  const { setTimeout } = window;
  window.setTimeout = (act, ms, ...values) => (ms === 1000 ? 0 : setTimeout(act, ms, ...values));
}`;

test('the first load is what is counted', { skip: skipWithoutChromium, timeout: 120_000 }, async (context) => {
  const session = transcript({ sessionId: id }).user('a prompt').assistant('an *answer*').text();
  const server = await openWebServer(context, { [`-p/${id}.jsonl`]: session });
  await server.isCurrent();
  const browser = await openBrowser();
  for (const { address, views, shown } of pages) {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(withoutLater);
    const requested = new Set<string>();
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/api/') && request.url().startsWith('http')) requested.add(pathname);
    });
    await slowDown(page);
    await page.goto(at(server, address));
    await page.locator(shown).first().waitFor();
    const counted = await firstFiles(server.base, address, views, 'gzip');
    // What the view does not need to be shown may be asked for a moment later.
    await eventually(async () => assert.deepEqual([...requested].sort(), [...counted.keys()].sort()));
    await page.context().close();
    assert.ok([...counted.values()].reduce((sum, size) => sum + size, 0) <= limitBytes);
  }
});
