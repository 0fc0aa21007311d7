// A real browser: the printed address opens the page, the token stays out of sight, and another site gets nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openPage, skipWithoutChromium } from '../../support/browser.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';

test('the page opens by its address, and only there', { skip: skipWithoutChromium }, async (context) => {
  const server = await openWebServer(context, {
    [`-p/${sessionId}.jsonl`]: transcript().user('hello there').assistant('hi').text(),
  });
  const { page } = await openPage(server.url);
  assert.equal(page.url(), `${server.base}/`);
  const ask = (address: string): Promise<number | string> =>
    page.evaluate(async (url) => {
      try {
        return (await fetch(url)).status;
      } catch (error) {
        return String(error);
      }
    }, address);

  await context.test('its scripts may ask, and cannot read the cookie', async () => {
    assert.equal(await ask('/api/status'), 200);
    assert.equal(await page.evaluate('document.cookie'), '');
  });

  await context.test('it may load nothing from elsewhere, and run nothing that stands in it', async () => {
    assert.match(String(await ask('http://127.0.0.1:9/')), /TypeError/);
    const ran = await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.canary = 1';
      document.head.append(script);
      globalThis.canary ?? null`);
    assert.equal(ran, null);
  });

  await context.test('another site can neither ask, nor frame, nor load its files', async () => {
    const evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>evil</p>'));
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    context.after(() => {
      evil.closeAllConnections();
      evil.close();
    });
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    assert.match(String(await ask(`${server.base}/api/status`)), /TypeError/);
    const embedded = await page.evaluate(`
      (async () => {
        // An image is asked for as soon as it has an address, so that comes last.
        const loads = (tag) => new Promise((resolve) => {
          const element = document.createElement(tag);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element.src = '${server.base}/api/status';
          document.body.append(element);
        });
        return [await loads('script'), await loads('img')];
      })()`);
    assert.deepEqual(embedded, ['refused', 'refused']);
    const framed = page.waitForResponse(`${server.base}/`);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${server.base}/' }))`,
    );
    assert.equal((await framed).status(), 403);
  });

  await context.test('a link on another site with the token opens it all the same', async () => {
    await page.context().clearCookies();
    await page.evaluate(`
      document.body.append(Object.assign(document.createElement('a'), { href: '${server.url}', id: 'go' }));
      document.getElementById('go').click()`);
    await page.waitForURL(`${server.base}/`);
    assert.equal(await ask('/api/status'), 200);
  });
  await page.context().close();
});
