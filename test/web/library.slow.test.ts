// The library page: how much fits the screen, groups by day, forks, worktrees, tags, stars, pull requests and filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser, openPage, phone, skipWithoutChromium, slowDown } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { forkIds, hostilePullId, lineageLibrary, originId, plainId, worktreeId } from './lineage-library.ts';
import { at, fitsWidth, hasCount, hrefsOf, isTrue, noComplaints, pressKey, rowOf } from './page-kit.ts';

const tall = { viewport: { width: 1280, height: 900 } } as const;
const rows = '.session-rows .session-row';

test('the library', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  await openBrowser();
  const server = await openWebServer(context, lineageLibrary(), { allowsChanges: true });
  await server.isCurrent();
  const run = (name: string, work: (server: WebServer) => Promise<void>) => context.test(name, () => work(server));
  await run('30 rows fit a screen of 900 pixels, and the first load is at most 180 KB', fitsThirty);
  await run('rows have headings by day, of which the current one stays in view', showsGroups);
  await run('forks open below their origin, in place, and the address keeps them', opensForks);
  await run('a session shows its branch, model, tag and pull request; only an https address is a link', showsFacts);
  await run('worktrees are below their repository, which lists their sessions too', showsWorktrees);
  await run('the page of a session links to its origin, and that to its forks', linksRelations);
  await run('filters by field and by kind are in the address', filters);
  await run('the keys select a row, star it and take the star away', stars);
  await run('a row of a phone has two lines', fitsPhone);
});

/** The rows that are completely on the screen and not below a heading. */
async function hasRowsInView(page: Page, least: number): Promise<void> {
  const script = `(() => {
    const bars = [...document.querySelectorAll('.session-head, .group-row[data-current]')];
    const top = Math.max(...bars.map((bar) => bar.getBoundingClientRect().bottom));
    return [...document.querySelectorAll('${rows}')].filter((row) => {
      const box = row.getBoundingClientRect();
      return box.top >= top - 1 && box.bottom <= innerHeight && row.querySelector('[data-stop]') !== null;
    }).length;
  })()`;
  await eventually(async () => {
    const shown = await page.evaluate<number>(script);
    assert.ok(shown >= least, `${shown} rows`);
  });
}

async function fitsThirty(server: WebServer): Promise<void> {
  const context = await (await openBrowser()).newContext(tall);
  const page = await context.newPage();
  await slowDown(page);
  const sizes: number[] = [];
  const waiting: Promise<void>[] = [];
  page.on('requestfinished', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) return;
    waiting.push(request.sizes().then(({ responseBodySize }) => void sizes.push(responseBodySize)));
  });
  await page.goto(at(server, '/'));
  await rowOf(page, worktreeId).waitFor();
  await eventually(async () => {
    await Promise.all(waiting);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total > 60 * 1024 && total <= 180 * 1024, `${total} bytes`);
  });
  // Ordered by the title there are no headings.
  await page.goto(at(server, '/?sort=title'));
  await page.locator('[aria-sort="ascending"]').waitFor();
  await isTrue(page, `document.querySelectorAll('${rows} [data-stop]').length > 35`);
  await hasRowsInView(page, 30);
  await context.close();
}

async function showsGroups(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, tall);
  const { page } = opened;
  await rowOf(page, worktreeId).waitFor();
  await eventually(async () => {
    const [first = ''] = await page.locator('.group-row th').allInnerTexts();
    assert.match(first, /^Today \d+$/);
  });
  await hasRowsInView(page, 28);
  await page.evaluate("document.querySelector('main').scrollTo(0, 900)");
  await isTrue(
    page,
    `(() => {
      const row = document.querySelector('.group-row[data-current]');
      const current = row?.getBoundingClientRect();
      const head = document.querySelector('.session-head').getBoundingClientRect();
      return current !== undefined && !row.innerText.startsWith('Today') &&
        Math.abs(current.top - head.bottom) < 2 && current.bottom > current.top;
    })()`,
  );
  await noComplaints(opened);
}

async function opensForks(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, tall);
  const { page } = opened;
  const origin = rowOf(page, originId);
  await origin.waitFor();
  const keys = () => hrefsOf(page, `${rows} [data-stop]`);
  const hrefs = forkIds.map((id) => `/s/${id}`);
  await eventually(async () =>
    assert.deepEqual(
      (await keys()).filter((href) => hrefs.includes(href)),
      [],
    ),
  );
  const button = origin.getByRole('button', { name: /3 forks/ });
  await button.click();
  await page.waitForURL(new RegExp(`open=${originId}`));
  await rowOf(page, forkIds[0] ?? '').waitFor();
  await eventually(async () => {
    const shown = await keys();
    const from = shown.indexOf(`/s/${originId}`);
    assert.deepEqual(shown.slice(from + 1, from + 4), hrefs, 'the newest fork first');
  });
  await origin.getByRole('button', { name: /forks/, expanded: true }).waitFor();
  await page.reload();
  await rowOf(page, forkIds[2] ?? '').waitFor();
  await rowOf(page, originId).getByRole('button', { name: /forks/ }).click();
  await hasCount(page, `${rows}[data-below]`, 0);
  // A fork that matches a filter which its origin does not match is listed.
  await page.goto(at(server, '/?text=second'));
  await hasCount(page, rows, 1);
  await rowOf(page, forkIds[1] ?? '').waitFor();
  await noComplaints(opened);
}

async function showsFacts(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, tall);
  const { page } = opened;
  const row = rowOf(page, worktreeId);
  await row.waitFor();
  await eventually(async () => {
    const cells = await row.getByRole('cell').allInnerTexts();
    assert.deepEqual(cells.slice(1, 4), ['lamp/glass', 'worktree-glass', 'Opus 4.5']);
  });
  await row.locator('.tag', { hasText: /^review$/ }).waitFor();
  const pull = row.getByRole('link', { name: 'Pull request kim/lamp#41' });
  await eventually(async () => {
    assert.equal(await pull.getAttribute('href'), 'https://example.invalid/kim/lamp/pull/41');
    assert.match(String(await pull.getAttribute('rel')), /noopener/);
  });
  const hostile = rowOf(page, hostilePullId);
  await hostile.getByText('#7').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      (await hrefsOf(page, `${rows} a`)).filter((href) => !/^\/|^https:/.test(href)),
      [],
    ),
  );
  await hasCount(page, 'main b', 0);
  await noComplaints(opened);
}

async function linksRelations(server: WebServer): Promise<void> {
  const [fork = ''] = forkIds;
  const opened = await openPage(at(server, `/s/${fork}`), tall);
  const { page } = opened;
  const line = page.locator('.session-relations');
  await line.waitFor();
  await eventually(async () => assert.match(await line.innerText(), /^fork of Trim the wick$/));
  if (process.env.CLEW_PICTURE !== undefined) await page.screenshot({ path: process.env.CLEW_PICTURE });
  await line.locator('a').click();
  await isTrue(
    page,
    `location.pathname === '/s/${originId}' && document.querySelectorAll('.session-relations a').length === 3`,
  );
  await eventually(async () =>
    assert.deepEqual(
      (await hrefsOf(page, '.session-relations a')).sort(),
      forkIds.map((id) => `/s/${id}`),
    ),
  );
  await noComplaints(opened);
}

async function showsWorktrees(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, tall);
  const { page } = opened;
  const projects = page.getByRole('navigation', { name: 'Projects' }).getByRole('link');
  await projects.nth(3).waitFor();
  await eventually(async () => {
    const names = (await projects.allInnerTexts()).map((text) => text.split('\n')[0]?.replace(/live$/, ''));
    assert.deepEqual(names, ['All projects', 'kim/lamp', 'glass', 'kim/mill']);
  });
  await projects.nth(1).click();
  await page.waitForURL(/project=%2Fhome%2Fkim%2Flamp$/);
  await hasCount(page, rows, 3);
  await projects.nth(2).click();
  await hasCount(page, rows, 1);
  await rowOf(page, worktreeId).waitFor();
  await noComplaints(opened);
}

async function filters(server: WebServer): Promise<void> {
  const opened = await openPage(server.url, tall);
  const { page } = opened;
  await rowOf(page, worktreeId).waitFor();
  await page.getByLabel('Filter the list').fill('branch:glass');
  await page.waitForURL(/text=branch/);
  await hasCount(page, rows, 1);
  await page.goto(at(server, '/?only=tagged'));
  await page.getByRole('button', { name: /^Tagged 1$/, pressed: true }).waitFor();
  await hasCount(page, rows, 1);
  await page.goto(at(server, '/?text=pr:lamp%2341'));
  await hasCount(page, rows, 1);
  await page.goto(at(server, '/?only=deleted'));
  await page.getByText('No session matches these filters.').waitFor();
  await noComplaints(opened);
}

async function stars(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/?project=/home/kim/mill'), tall);
  const { page } = opened;
  await rowOf(page, plainId(0)).waitFor();
  await server.client.changes.$post({ json: {} });
  await page.reload();
  await rowOf(page, plainId(0)).waitFor();
  const star = rowOf(page, plainId(1)).getByRole('button', { name: 'Star', exact: true });
  await pressKey(page, 'j');
  await pressKey(page, 'j');
  await pressKey(page, 's');
  await rowOf(page, plainId(1)).locator('.star[aria-pressed="true"]').waitFor();
  await page.getByRole('button', { name: /^Starred 1$/ }).waitFor();
  await page.goto(at(server, '/?only=starred'));
  await hasCount(page, rows, 1);
  await rowOf(page, plainId(1)).hover();
  await star.click();
  await page.getByText('No session matches these filters.').waitFor();
  await noComplaints(opened);
}

async function fitsPhone(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, `/?open=${originId}`), phone);
  const { page } = opened;
  await rowOf(page, forkIds[0] ?? '').waitFor();
  await fitsWidth(page);
  const tops = `(() => {
    const row = document.querySelector('a[href="/s/${worktreeId}"]').closest('tr');
    const cells = [...row.children].filter((cell) => cell.getClientRects().length > 0);
    return [...new Set(cells.map((cell) => Math.round(cell.getBoundingClientRect().top / 8)))];
  })()`;
  await isTrue(page, `${tops}.length === 2`);
  await noComplaints(opened);
}
