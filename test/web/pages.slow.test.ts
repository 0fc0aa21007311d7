// All pages except the session page in a real browser, on the real server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from '../../src/web/client/client.ts';
import { desktop, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, fitsWidth, hasCount, hrefsOf, isListening, isTrue, noComplaints, pressKey, rowOf } from './page-kit.ts';
import {
  age,
  buildingId,
  damagedId,
  expiringId,
  hostileId,
  liveId,
  manySessions,
  pageLibrary,
  sayLive,
} from './page-library.ts';

test('the pages', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  // Opened here: a browser opened in a subtest would close at its end.
  await openBrowser();
  const server = await openWebServer(context, pageLibrary(), { allowsChanges: true });
  age(server.root, expiringId, 27);
  await server.isCurrent();
  const run = (name: string, work: (server: WebServer) => Promise<void>) => context.test(name, () => work(server));
  await run('the library lists projects and sessions with their marks', listsSessions);
  await run('every column sorts', sortsColumns);
  await run('sorting and filtering are in the address', sortsAndFilters);
  await run('text typed just before a navigation does not come back', leavesTyping);
  await run('a page works while the index is built, and shows the progress', usesUnfinished);
  await run('a search runs while typing, highlights matches, and opens at the line', searches);
  await run('a refused search and an empty search say so', showsNothingFound);
  await run('keys select items, open them, go to pages and show help', followsKeys);
  await run('back and forward restore the scroll position', goesBack);
  await run('the chosen theme is kept', switchesTheme);
  await run('no page is wider than a phone', fitsPhone);
  await context.test('a large library renders and loads only visible rows', async (part) => {
    await listsMany(await openWebServer(part, {}));
  });
  await context.test(
    'an empty library fills without a reload, and a page shows when the server is gone',
    async (part) => {
      await beginsEmpty(await openWebServer(part, {}, { isDemo: true }));
    },
  );
});

async function listsSessions(server: WebServer): Promise<void> {
  const opened = await openPage(server.url);
  const { page } = opened;
  await rowOf(page, buildingId).waitFor();
  const { rows, total } = await readJson(server.client.sessions.$get());
  await hasCount(page, '.session-rows .session-row', total);
  await eventually(async () =>
    assert.deepEqual(
      await hrefsOf(page, '.session-rows [data-stop]'),
      rows.map(({ key }) => `/s/${key}`),
    ),
  );
  await eventually(async () => {
    const groups = await page.locator('.group-row').count();
    assert.ok(groups > 0);
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(total + groups + 1));
  });
  for (const [id, words] of [
    [liveId, /live/],
    [damagedId, /damaged line/],
    [expiringId, /deleted in [23] days/],
    // Hostile text is only text.
    [hostileId, /<img src=x onerror=alert\(1\)>/],
  ] as const)
    await eventually(async () => assert.match(await rowOf(page, id).innerText(), words));
  await eventually(async () => {
    const cells = await rowOf(page, buildingId).getByRole('cell').allInnerTexts();
    assert.deepEqual(
      cells.map((cell) => cell.replace(/^\d+ (h|d|mo|y)$/, 'an age')),
      ['Find out why the build is slow', 'ada/lighthouse', 'main', 'Opus 4.5', 'an age', '2', '16 KB', '$0.24'],
    );
  });
  await hasCount(page, 'main img', 0);
  const projects = await readJson(server.client.projects.$get());
  await hasCount(page, 'nav[aria-label="Projects"] a', projects.length + 1);
  await noComplaints(opened);
}

async function sortsColumns(server: WebServer): Promise<void> {
  const opened = await openPage(server.url);
  const { page } = opened;
  for (const [name, sort] of [
    ['Session', 'title'],
    ['Project', 'project'],
    ['Turns', 'turns'],
    ['Cost', 'cost'],
    ['Used', 'age'],
  ] as const) {
    await page.getByRole('columnheader', { name }).getByRole('link').click();
    const { rows } = await readJson(server.client.sessions.$get({ query: { sort } }));
    const wanted = rows.map(({ key }) => `/s/${key}`);
    const shown = `Array.from(document.querySelectorAll('.session-rows [data-stop]'), (link) => link.getAttribute('href'))`;
    await isTrue(page, `JSON.stringify(${shown}) === ${JSON.stringify(JSON.stringify(wanted))}`);
  }
  await noComplaints(opened);
}

/** The rows are the server's; the state of the index is fixed, because it would change at once. */
async function usesUnfinished(server: WebServer): Promise<void> {
  const status = await readJson(server.client.status.$get());
  const index = { ...status.index, phase: 'text', bytesDone: 30, bytesTotal: 100 };
  const { page } = await openPage(at(server, '/no-such-page'));
  await page.route(/api\/events/, (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 100000\nevent: hello\ndata: ${JSON.stringify({ ...status, index })}\n\n`,
    }),
  );
  await page.goto(at(server, '/'));
  await page.getByText('Indexing words for search, 30 %').waitFor();
  const progress = page.getByRole('progressbar', { name: 'Indexing words for search' });
  await eventually(async () => assert.equal(await progress.getAttribute('value'), '30'));
  await page.getByRole('link', { name: 'Find out why the build is slow' }).click();
  await page.locator('.turn .answer').first().waitFor();
  await page.goto(at(server, '/?q=slugify'));
  await page.getByText('The index is not complete yet.').waitFor();
  await page.locator('.hit mark').first().waitFor();
  await page.context().close();
}

async function sortsAndFilters(server: WebServer): Promise<void> {
  const opened = await openPage(server.url);
  const { page } = opened;
  await page.getByRole('columnheader', { name: 'Size' }).getByRole('link').click();
  await page
    .getByRole('columnheader', { name: 'Size', exact: false })
    .and(page.locator('[aria-sort="descending"]'))
    .waitFor();
  const [largest] = (await readJson(server.client.sessions.$get({ query: { sort: 'size' } }))).rows;
  await page.locator(`.session-rows tr:first-child [data-stop][href="/s/${largest?.key}"]`).waitFor();
  await page.getByRole('columnheader', { name: 'Size' }).getByRole('link').click();
  await page.waitForURL(/sort=size&reverse=1/);
  const [smallest] = (await readJson(server.client.sessions.$get({ query: { sort: 'size', reverse: true } }))).rows;
  await page.locator(`.session-rows tr:first-child [data-stop][href="/s/${smallest?.key}"]`).waitFor();

  await page.getByRole('button', { name: /^Expiring soon 1/ }).click();
  await page.waitForURL(/only=expiring/);
  await hasCount(page, '.session-rows .session-row', 1);
  await rowOf(page, expiringId).waitFor();
  await page.getByRole('button', { name: /^Damaged/ }).click();
  await rowOf(page, damagedId).waitFor();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByLabel('Filter the list').fill('ledger');
  await page.waitForURL(/text=ledger/);
  await hasCount(page, '.session-rows .session-row', 1);
  await page.getByLabel('Filter the list').fill('nothing is called so');
  await page.getByText('No session matches these filters.').waitFor();
  await page.getByRole('link', { name: 'Show all' }).click();
  await rowOf(page, buildingId).waitFor();
  await page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('link', { name: /recipes/ })
    .click();
  await hasCount(page, '.session-rows .session-row', 1);
  await noComplaints(opened);
}

async function leavesTyping(server: WebServer): Promise<void> {
  for (const label of ['Filter the list', 'Search all sessions']) {
    const { page } = await openPage(server.url);
    await rowOf(page, buildingId).waitFor();
    await page.evaluate(`(async () => {
      const field = document.querySelector('input[aria-label="${label}"]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'ledger');
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 1));
      document.querySelector('a[href="/usage"]').click();
      // Now the typing timer fires before anything else on the page.
      for (const end = performance.now() + 300; performance.now() < end; ) continue;
    })()`);
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    // More than the timer of the typing.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    const { pathname, search } = new URL(page.url());
    assert.equal(pathname + search, '/usage', label);
    await page.context().close();
  }
}

async function searches(server: WebServer): Promise<void> {
  const opened = await openPage(server.url);
  const { page } = opened;
  await rowOf(page, buildingId).waitFor();
  await pressKey(page, '/');
  await page.keyboard.type('slugify', { delay: 20 });
  await page.waitForURL(/q=slugify/);
  const hit = page
    .locator('.hit')
    .filter({ has: page.locator('mark') })
    .first();
  await hit.waitFor();
  await eventually(async () => assert.match(await hit.locator('mark').first().innerText(), /slugify/i));
  const { total } = await readJson(server.client.search.$get({ query: { text: 'slugify' } }));
  await page
    .locator('.search-page output', { hasText: new RegExp(`^${total} match`) })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Exact' }).click();
  await page.waitForURL(/mode=exact/);
  await hit.waitFor();
  // From the address: the list may change before the click.
  await hit.click();
  await page.waitForURL((url) => url.pathname.startsWith('/s/') && /^\d+$/.test(url.searchParams.get('line') ?? ''));
  const line = new URL(page.url()).searchParams.get('line');
  await page.locator(`.target[data-place=" ${line}"], .target[data-result=" ${line}"]`).first().waitFor();
  await page.goBack();
  await page.locator('.hit').first().waitFor();
  const field = page.getByLabel('Search all sessions');
  await eventually(async () => assert.equal(await field.inputValue(), 'slugify'));
  await noComplaints(opened);
}

async function showsNothingFound(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/?q=zzzyyyxxx'));
  const { page } = opened;
  await page.getByText('No session contains this.').waitFor();
  assert.deepEqual(opened.complaints, []);
  await page.getByRole('button', { name: 'Regular expression' }).click();
  await page.getByLabel('Search all sessions').fill('(');
  await page.getByRole('alert').waitFor();
  await page.goto(at(server, '/s/nothing-of-this-name'));
  await page.getByRole('heading', { name: 'This session cannot be shown' }).waitFor();
  await page.context().close();
}

async function followsKeys(server: WebServer): Promise<void> {
  const opened = await openPage(server.url);
  const { page } = opened;
  await rowOf(page, buildingId).waitFor();
  const focused = () => page.evaluate<string>("document.activeElement?.getAttribute('href') ?? ''");
  const { rows } = await readJson(server.client.sessions.$get());
  const [first, second] = rows.map(({ key }) => `/s/${key}`);
  await eventually(async () => {
    const stops = await hrefsOf(page, 'main [data-stop]');
    assert.deepEqual(stops.slice(0, 2), [first, second]);
  });
  for (const [key, stop] of [
    ['j', first],
    ['j', second],
    ['k', first],
  ] as const) {
    await pressKey(page, key);
    await eventually(async () => assert.equal(await focused(), stop));
  }
  await pressKey(page, 'Enter');
  await page.waitForURL((url) => url.pathname === first);
  for (const [key, title] of [
    ['u', 'Usage'],
    ['h', 'Health'],
    ['v', 'Live'],
    ['l', 'Library'],
  ] as const) {
    await pressKey(page, 'g');
    await pressKey(page, key);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await eventually(async () => assert.equal(await page.title(), `${title} · Clew`));
    // Screen readers announce the focused heading.
    await isTrue(page, `document.activeElement?.textContent === '${title}'`);
  }
  await pressKey(page, '?');
  const help = page.getByRole('dialog', { name: 'Keyboard help' });
  await help.waitFor();
  await pressKey(page, 'j');
  await pressKey(page, 'Escape');
  await help.waitFor({ state: 'detached' });
  // Keys typed into an input are text.
  await pressKey(page, '/');
  await page.keyboard.type('gu');
  await page.waitForURL(/q=gu/);
  await noComplaints(opened);
}

async function goesBack(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, { viewport: { width: 1280, height: 300 } });
  const { page } = opened;
  await rowOf(page, buildingId).waitFor();
  const before = await eventually(async () => {
    const top = await page.evaluate<number>(`(() => {
      const main = document.querySelector('main');
      main.scrollTo(0, 120);
      return main.scrollTop;
    })()`);
    assert.ok(top > 50, `${top}`);
    return top;
  });
  await page.locator('.session-rows [data-stop]').nth(4).dispatchEvent('click');
  await page.waitForURL((url) => url.pathname.startsWith('/s/'));
  await page.locator('.session').waitFor();
  await page.goBack();
  await isTrue(page, `document.querySelector('main.library')?.scrollTop === ${before}`);
  await page.goForward();
  await page.locator('.session').waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  await noComplaints(opened);
}

async function switchesTheme(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, { ...desktop, colorScheme: 'light' });
  const { page } = opened;
  const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const isPaper = (colour: string) => eventually(async () => assert.equal(await paper(), colour));
  await page.locator('.shell').waitFor();
  // Read once: the shell is there, and its style came before it.
  const light = await paper();
  await page.getByLabel('Colours').selectOption('dark');
  const dark = await eventually(async () => {
    const colour = await paper();
    assert.notEqual(colour, light);
    return colour;
  });
  await page.reload();
  await page.locator('.shell').waitFor();
  await isPaper(dark);
  await page.getByLabel('Colours').selectOption('system');
  await isPaper(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await isPaper(dark);
  await page.getByLabel('Colours').selectOption('light');
  await isPaper(light);
  await noComplaints(opened);
}

const addresses: readonly (readonly [string, string, string])[] = [
  ['library', '/', '.session-rows [data-stop]'],
  ['search', '/?q=light', '.hit mark'],
  ['session', `/s/${buildingId}`, '.turn .answer'],
  ['usage', '/usage', '.top-lists li'],
  ['health', `/health?session=${damagedId}`, '.findings li'],
  ['live', '/live', '.live-session li'],
];

async function fitsPhone(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, phone);
  const { page } = opened;
  sayLive(server.root, 'grind on');
  for (const [name, address, shown] of addresses) {
    await page.goto(at(server, address));
    await page.locator(shown).first().waitFor();
    await fitsWidth(page, name);
  }
  await page.goto(server.url);
  await page.getByLabel('Project', { exact: true }).selectOption({ index: 1 });
  await page.waitForURL(/project=/);
  await noComplaints(opened);
}

const many = 600;

async function listsMany(server: WebServer): Promise<void> {
  manySessions(server.root, many);
  while ((await readJson(server.client.sessions.$get({ query: { limit: 1 } }))).total < many)
    await new Promise((done) => setTimeout(done, 50));
  await server.isCurrent();
  const { page } = await openPage(server.url);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/sessions' && searchParams.get('fold') !== null) asked.push(searchParams.get('offset') ?? '');
  });
  await page.reload();
  await page.locator('.session-rows [data-stop]').first().waitFor();
  await eventually(async () => assert.deepEqual([...new Set(asked)], ['0']));
  await page.evaluate("document.querySelector('main').scrollTo(0, 1e9)");
  const groups = (await readJson(server.client.sessions.$get({ query: { zone: 'UTC', limit: 1 } }))).groups.length;
  await page.locator(`[aria-rowindex="${many + groups + 1}"] [data-stop]`).waitFor();
  await eventually(async () => assert.ok((await page.locator('.session-rows .session-row').count()) < 80));
  // The rows between the two ends were never visible.
  assert.deepEqual(
    ['200', '300'].filter((offset) => asked.includes(offset)),
    [],
  );
  await page.context().close();
}

async function beginsEmpty(server: WebServer): Promise<void> {
  const opened = await openPage(server.url);
  const { page, complaints } = opened;
  await page.getByText('There are no sessions yet.').waitFor();
  await page.getByText('These are demo sessions.').waitFor();
  for (const [key, words] of [
    ['u', 'No usage has been counted yet.'],
    ['h', 'No session was examined.'],
    ['v', 'Nothing is running.'],
    ['l', 'There are no sessions yet.'],
  ] as const) {
    await pressKey(page, 'g');
    await pressKey(page, key);
    await page.getByText(words).waitFor();
  }
  await isListening(opened);
  manySessions(server.root, 1);
  await page.getByRole('link', { name: 'task number 1' }).waitFor();
  assert.deepEqual(complaints, []);
  await page.route(/api\/events/, (route) => route.abort());
  await page.reload();
  await page.getByText('The server does not respond.').waitFor();
  await page.unroute(/api\/events/);
  await page.getByText('The server does not respond.').waitFor({ state: 'detached' });
  await page.context().close();
}
