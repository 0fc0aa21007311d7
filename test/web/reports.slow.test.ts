// The usage, health and live pages in a real browser, on the real server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { keyParam, readJson } from '../../src/web/client/client.ts';
import { openBrowser, openPage, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, hasCount, hrefsOf, isListening, noComplaints, pressKey } from './page-kit.ts';
import { damagedId, liveId, pageLibrary, sayLive } from './page-library.ts';

test('the reports', { skip: skipWithoutChromium, timeout: 600_000 }, async (context) => {
  // Opened here: a browser opened in a subtest would close at its end.
  await openBrowser();
  const server = await openWebServer(context, pageLibrary(), { allowsChanges: true });
  await server.isCurrent();
  const run = (name: string, work: (server: WebServer) => Promise<void>) => context.test(name, () => work(server));
  await run('usage shows the numbers of the server, and receipts with their lines', showsUsage);
  await run('health shows the worst first, previews a repair, applies it and undoes it', repairs);
  await run('changes that cannot be listed are announced, and those that the page missed appear', listsChanges);
  await run('live shows new lines of running sessions', showsLive);
  await context.test('a read-only server previews a repair and does not offer it', async (part) => {
    await onlyReads(await openWebServer(part, pageLibrary()));
  });
});

async function showsUsage(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/usage'));
  const { page } = opened;
  const totals = page.getByRole('region', { name: 'In total' });
  const { totals: sum } = await readJson(server.client.usage.$get({ query: { by: 'model' } }));
  await eventually(async () => {
    const text = await totals.innerText();
    assert.match(text, new RegExp(`\\$${((sum.costMicroUsd ?? 0) / 1e6).toFixed(2)}`));
    assert.match(text, new RegExp(`${(100 * (sum.cacheHitRate ?? 0)).toFixed(1)} %`));
  });
  const { rows: days } = await readJson(server.client.usage.$get({ query: { by: 'daily' } }));
  await hasCount(page, '.time-chart g', days.filter(({ key }) => key !== null).length);
  const { tools } = await readJson(server.client.usage.tools.$get());
  await page
    .getByRole('region', { name: 'By tool' })
    .getByText(tools[0]?.name ?? '', { exact: true })
    .waitFor();
  const { rows: models } = await readJson(server.client.usage.$get({ query: { by: 'model' } }));
  await eventually(async () =>
    assert.deepEqual(
      (await page.getByRole('region', { name: 'By model' }).locator('.bar-name').allInnerTexts()).sort(),
      models.map(({ key }) => key ?? '').sort(),
    ),
  );
  const { turns, sessions } = await readJson(server.client.usage.top.$get());
  await eventually(async () =>
    assert.deepEqual(
      await hrefsOf(page, '[aria-label="Most expensive sessions"] a'),
      sessions.map(({ key }) => `/s/${key}`),
    ),
  );
  const dearest = page.getByRole('region', { name: 'Most expensive turns' }).getByRole('link').first();
  const place = `/s/${turns[0]?.key}?line=${turns[0]?.line}`;
  await eventually(async () => assert.equal(await dearest.getAttribute('href'), place));

  await totals.getByRole('button', { name: 'Receipts' }).click();
  const drawer = page.getByRole('dialog', { name: 'Receipts' });
  const { receipts } = await readJson(server.client.usage.receipts.$get());
  await drawer.getByText(`${receipts[0]?.path}:${receipts[0]?.line}`).first().waitFor();
  await eventually(async () => assert.equal(await drawer.locator('ol > li').count(), receipts.length));
  await pressKey(page, 'Escape');
  await drawer.waitFor({ state: 'detached' });

  await page.getByText('As a table').click();
  const day = days.findLast(({ key }) => key !== null)?.key ?? '';
  await page.getByRole('link', { name: day, exact: true }).click();
  await page.waitForURL(new RegExp(`since=${day}&until=${day}`));
  await hasCount(page, '.time-chart g', 1);
  await page.getByRole('button', { name: 'Tokens' }).click();
  await page.getByRole('region', { name: 'Tokens by day' }).waitFor();
  await page.goto(at(server, '/usage?by=monthly'));
  await page.getByRole('region', { name: 'Cost by month' }).waitFor();
  await page.goto(at(server, '/usage?since=2001-01-01&until=2001-01-02'));
  await page.getByText('No messages in this range.').waitFor();
  await page.goto(at(server, '/usage'));
  await page
    .getByRole('region', { name: 'By project' })
    .getByRole('link', { name: /recipes/ })
    .click();
  await page.getByText('Show all projects').waitFor();
  await noComplaints(opened);
}

async function repairs(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/health'));
  const { page } = opened;
  await page.getByRole('button', { name: 'Examine again' }).waitFor();
  await page.locator('.doctor-list .triage-row').first().waitFor();
  const { sessions } = await readJson(server.client.doctor.$get());
  assert.equal(sessions[0]?.key, damagedId);
  await eventually(async () => {
    const [first] = await hrefsOf(page, '.doctor-list [data-stop]');
    assert.equal(first, `/s/${damagedId}`);
  });
  await page.getByText('By kind of damage').click();
  await page
    .getByRole('list', { name: 'Kinds of damage' })
    .getByRole('link', { name: /L-torn-tail/ })
    .click();
  await page.waitForURL(/code=L-torn-tail/);
  await hasCount(page, '.triage-row', 1);
  await page.locator('.triage-row summary').click();
  await page.getByRole('link', { name: 'All findings' }).click();
  const one = page.getByRole('region', { name: 'One session' });
  await one.getByText('L-torn-tail').waitFor();
  const { findings } = await readJson(server.client.sessions[':key'].doctor.$get({ param: keyParam(damagedId) }));
  await eventually(async () => assert.equal(await one.locator('.findings > li').count(), findings.length));
  await one.getByRole('button', { name: 'Dry run of a repair' }).click();
  const { previews } = await readJson(server.client.sessions[':key'].fix.$get({ param: keyParam(damagedId) }));
  const usual = previews.find(({ isDefault }) => isDefault);
  const shown = one.getByRole('region', { name: `Strategy ${usual?.strategy}` });
  await shown.waitFor();
  await eventually(async () => assert.equal(await one.locator('.preview').count(), previews.length));
  const { before, after } = usual ?? {};
  const loads = new RegExp(`${before?.loaded} of ${before?.of}[^]*${after?.loaded} of ${after?.of}`);
  await eventually(async () => assert.match(await shown.innerText(), loads));
  await shown.getByRole('button', { name: 'Repair in place' }).click();
  await one.getByText(/^Repaired: resuming now loads/).waitFor();
  const repaired = await readJson(server.client.sessions[':key'].doctor.$get({ param: keyParam(damagedId) }));
  assert.deepEqual(repaired.findings, []);
  await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Undo' }).first().click();
  await page.getByRole('region', { name: 'Changes' }).getByText('undone').waitFor();
  const undone = await readJson(server.client.sessions[':key'].doctor.$get({ param: keyParam(damagedId) }));
  assert.equal(undone.findings.length, findings.length);
  await noComplaints(opened);
}

async function listsChanges(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/no-such-page'));
  const { page } = opened;
  const operations = /api\/operations/;
  await page.route(operations, (route) => route.abort());
  await page.goto(at(server, '/health'));
  const changes = page.getByRole('region', { name: 'Changes' });
  await changes.getByRole('alert').getByText('The server does not respond').waitFor();
  await page.unroute(operations);
  await changes.getByRole('button', { name: 'Try again' }).click();
  await changes.getByText('undone').waitFor();
  await eventually(async () => assert.equal(await changes.locator('li').count(), 1));
  await isListening(opened);
  await becomes(page, 'hidden');
  await repairsUnseen(server);
  await becomes(page, 'visible');
  await eventually(async () => assert.equal(await changes.locator('li').count(), 2));
  await changes.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => assert.equal(await changes.getByText('undone').count(), 2));
  await page.context().close();
}

/** A page in the background hears nothing. */
async function becomes(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'))`);
}

async function repairsUnseen(server: WebServer): Promise<void> {
  const listening = server.listen('/api/events');
  await listening.next('hello');
  const route = server.client.sessions[':key'].fix;
  const param = keyParam(damagedId);
  const { previews } = await readJson(route.$get({ param }));
  const strategy = previews.find(({ isDefault }) => isDefault)?.strategy ?? '';
  await readJson(route.$post({ param, json: { strategy, inPlace: true } }));
  await listening.next('sessions');
  listening.stop();
}

async function onlyReads(server: WebServer): Promise<void> {
  await server.isCurrent();
  const opened = await openPage(at(server, `/health?session=${damagedId}`));
  const { page } = opened;
  await page.getByRole('button', { name: 'Dry run of a repair' }).click();
  await page.getByText('This page is read-only.').waitFor();
  await page.locator('.preview').first().waitFor();
  const offers = page.getByRole('button', { name: /Repair in place|Create a repaired copy/ });
  await eventually(async () => assert.equal(await offers.count(), 0));
  await noComplaints(opened);
}

async function showsLive(server: WebServer): Promise<void> {
  const opened = await openPage(at(server, '/live'));
  const { page } = opened;
  await page.getByText('grind the first sack').first().waitFor();
  await isListening(opened);
  sayLive(server.root, 'grind the second sack');
  await page.locator('.live-prompt').getByText('grind the second sack').waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.locator('.live-text').allInnerTexts(), [
      'grind the first sack',
      'grind the second sack',
    ]),
  );
  await page.locator('.live-prompt a').last().click();
  await page.waitForURL((url) => url.pathname === `/s/${liveId}`);
  await page.getByText('grind the second sack').first().waitFor();
  await isListening(opened);
  // The session page uses the same connection.
  sayLive(server.root, 'grind the third sack');
  await page.locator('.prompt').getByText('grind the third sack').waitFor();
  await noComplaints(opened);
}
