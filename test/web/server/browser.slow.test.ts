// In a real browser: the printed address opens the page, the token stays hidden, and other sites and ports get nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openBrowser, openPage, skipWithoutChromium } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';

const library = { [`-p/${sessionId}.jsonl`]: transcript().user('hello there').assistant('hi').text() };

test('in a real browser', { skip: skipWithoutChromium }, async (context) => {
  await openBrowser(); // here, so that it is closed after the last test
  await context.test('only the printed address opens the page', opensByItsAddress);
  await context.test('a server on another port never receives the token', givesNothingToAnotherPort);
  await context.test('a tab gets the token from another tab, or says what to do', asksOtherTabs);
});

async function opensByItsAddress(context: TestContext): Promise<void> {
  const server = await openWebServer(context, library);
  const { page } = await openPage(server.url);
  await page.locator(`a[href="/s/${sessionId}"]`).first().waitFor();
  await page.waitForURL(`${server.base}/`);
  const ask = (address: string, token: string | null = null): Promise<number | string> =>
    page.evaluate(
      async ([url, given]) => {
        try {
          return (await fetch(url ?? '', given == null ? {} : { headers: { 'x-clew-token': given } })).status;
        } catch (error) {
          return String(error);
        }
      },
      [address, token],
    );

  await context.test('there is no cookie, and every request without the header is refused', async () => {
    const cookies = await page.context().cookies();
    assert.deepEqual(cookies, []);
    const answers = [await ask('/api/status'), await ask('/api/status', server.token)];
    assert.deepEqual(answers, [401, 200]);
  });

  await context.test('the page loads nothing from elsewhere and runs no inline script', async () => {
    const elsewhere = await ask('http://127.0.0.1:9/');
    assert.match(String(elsewhere), /TypeError/);
    const ran = await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'globalThis.canary = 1';
      document.head.append(script);
      globalThis.canary ?? null`);
    assert.equal(ran, null);
  });

  await context.test('another site cannot request, frame or load the page', async () => {
    const evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>evil</p>'));
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    context.after(() => {
      evil.closeAllConnections();
      evil.close();
    });
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const foreign = await ask(`${server.base}/api/status`);
    assert.match(String(foreign), /TypeError/);
    const embedded = await page.evaluate(`
      (async () => {
        // An image loads as soon as it has an address, so that comes last.
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
    const inFrame = await framed;
    assert.equal(inFrame.status(), 403);
  });

  await context.test('a link with the token on another site still opens the page', async () => {
    await page.evaluate(`
      document.body.append(Object.assign(document.createElement('a'), { href: '${server.url}', id: 'go' }));
      document.getElementById('go').click()`);
    await page.waitForURL(`${server.base}/`);
    await page.locator(`a[href="/s/${sessionId}"]`).first().waitFor();
  });
  await page.context().close();
}

async function givesNothingToAnotherPort(context: TestContext): Promise<void> {
  const server = await openWebServer(context, library);
  const received: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  const other = createServer(({ url = '', headers }, response) => {
    received.push({ url, headers });
    response.setHeader('content-type', 'text/html').end('<p>another program</p>');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => {
    other.closeAllConnections();
    other.close();
  });
  const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  const { page } = await openPage(server.url);
  await page.locator(`a[href="/s/${sessionId}"]`).first().waitFor();
  // A link from the page, its address in the same tab, and in another tab of the same browser.
  await page.evaluate(`
    document.body.append(Object.assign(document.createElement('a'), { href: '${otherUrl}linked', id: 'go' }));
    document.getElementById('go').click()`);
  await page.waitForURL(`${otherUrl}linked`);
  await eventually(async () => assert.equal(await page.evaluate(`sessionStorage.getItem('clew-token')`), null));
  await page.goto(`${otherUrl}typed`);
  await (await page.context().newPage()).goto(`${otherUrl}tab`);
  const paths = received.map(({ url }) => url).filter((url) => url !== '/favicon.ico');
  assert.deepEqual(paths, ['/linked', '/typed', '/tab']);
  assert.doesNotMatch(JSON.stringify(received), new RegExp(server.token));
  for (const { headers } of received) {
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const replayed = { ...Object.fromEntries(sent), host: new URL(server.base).host };
    const { status, body } = await server.send({ path: '/api/sessions', headers: replayed, knowsToken: false });
    assert.ok([401, 403].includes(status), `${status}`);
    assert.doesNotMatch(body, /hello there/);
  }
  await page.context().close();
}

async function asksOtherTabs(context: TestContext): Promise<void> {
  const first = await openWebServer(context, library);
  const { page } = await openPage(first.url);
  const row = `a[href="/s/${sessionId}"]`;
  await page.locator(row).first().waitFor();
  const second = await page.context().newPage();
  await second.goto(`${first.base}/s/${sessionId}`);
  await second.locator('[data-loaded]').first().waitFor();
  await second.waitForURL(`${first.base}/s/${sessionId}`);
  await second.close();

  // Restarted on the same port: this tab has the token of the earlier start.
  const { port } = first.server;
  await first.server.close();
  const again = await openWebServer(context, library, { port });
  await page.reload();
  await page.getByRole('heading', { name: 'This tab has no token for your sessions' }).waitFor();
  await page.locator('#no-token', { hasText: 'Open the printed address, or run clew open in a terminal' }).waitFor();
  await page.locator('#root').waitFor({ state: 'hidden' });

  const alone = await page.context().newPage();
  await alone.goto(`${again.base}/s/${sessionId}?turn=1`);
  await alone.getByRole('heading', { name: 'This tab has no token for your sessions' }).waitFor();
  await alone.locator('#no-token', { hasText: `run clew open ${sessionId} in a terminal` }).waitFor();

  // Pasting the new address over the stale one changes only the fragment.
  await page.goto(again.url);
  await page.locator(row).first().waitFor();
  await page.waitForURL(`${again.base}/`);
  await alone.reload();
  await alone.locator('[data-loaded]').first().waitFor();
  await alone.waitForURL(`${again.base}/s/${sessionId}?turn=1`);
  await page.context().close();
}
