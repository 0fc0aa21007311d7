// Helpers for the tests of the pages: addresses with the token, rows, links, and a final check for errors.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import type { OpenedPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import type { WebServer } from '../support/web-server.ts';

/** The address with the token, for a fresh browser. */
export function at(server: WebServer, address: string): string {
  const url = new URL(address, server.base);
  url.hash = new URL(server.url).hash;
  return url.href;
}

export function rowOf(page: Page, id: string): Locator {
  return page.locator('.session-rows tr').filter({ has: page.locator(`a[href="/s/${id}"]`) });
}

/** For `eventually`. */
export function hrefsOf(page: Page, selector: string): Promise<string[]> {
  const links = `document.querySelectorAll(${JSON.stringify(selector)})`;
  return page.evaluate<string[]>(`Array.from(${links}, (link) => link.getAttribute('href'))`);
}

export async function fitsWidth(page: Page, what = ''): Promise<void> {
  await eventually(async () => {
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    assert.ok(over <= 0, `${what} is ${over} pixels too wide`);
  });
}

/** Reads from outside: the page's policy blocks Playwright's `waitForFunction`. */
export async function isTrue(page: Page, script: string): Promise<void> {
  await eventually(async () => assert.equal(await page.evaluate<boolean>(script), true, script));
}

export async function hasCount(page: Page, selector: string, count: number): Promise<void> {
  await eventually(async () => assert.equal(await page.locator(selector).count(), count, `${count} of ${selector}`));
}

/** Of a session: no turn on the screen is still loading. */
export async function isLoaded(page: Page): Promise<void> {
  await page.locator('[data-loaded]').first().waitFor();
  await hasCount(page, '.turn:not([data-loaded])', 0);
}

/** The server sends this page what changes from now on. */
export async function isListening({ page, unheard }: OpenedPage): Promise<void> {
  await hasDrawn(page);
  await eventually(async () => assert.equal(unheard.size, 0, 'events are not sent yet'));
}

/** What was drawn also listens: React starts listening after it has drawn. */
async function hasDrawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

export async function pressKey(page: Page, key: string): Promise<void> {
  await hasDrawn(page);
  await page.keyboard.press(key);
}

interface AxeScope {
  /** Selectors; otherwise the whole page. */
  readonly within?: readonly string[];
  readonly except?: readonly string[];
}

/** Axe finds no violation. Legacy mode skips cross-origin frames, which the pages do not have, and takes half the time. */
export async function isAccessible(
  page: Page,
  what: string,
  { within = [], except = [] }: AxeScope = {},
): Promise<void> {
  await eventually(async () => {
    const axe = new AxeBuilder({ page }).setLegacyMode().disableRules([...except]);
    for (const selector of within) axe.include(selector);
    const { violations } = await axe.analyze();
    assert.deepEqual(
      violations.map(
        ({ id, impact, nodes }) => `${id}, ${impact}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
      ),
      [],
      what,
    );
  });
}

/** Neither in the dark nor in the light scheme, which is the one that stays. */
export async function isAccessibleInBoth(page: Page, within: readonly string[] = []): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await isAccessible(page, colorScheme, { within });
  }
}

/** `expected`: a request that the page may make too early, and that the server then refuses. */
export async function noComplaints({ page, complaints }: OpenedPage, expected?: RegExp): Promise<void> {
  await page.context().close();
  assert.deepEqual(
    complaints.filter((complaint) => expected?.test(complaint) !== true),
    [],
  );
}
