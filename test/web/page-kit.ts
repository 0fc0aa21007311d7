// Helpers for the tests of the pages: addresses with the token, rows, links, and a final check for errors.
import assert from 'node:assert/strict';
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

export function hrefsOf(page: Page, selector: string): Promise<string[]> {
  const links = `document.querySelectorAll(${JSON.stringify(selector)})`;
  return page.evaluate<string[]>(`Array.from(${links}, (link) => link.getAttribute('href'))`);
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

/** `expected`: a request that the page may make too early, and that the server then refuses. */
export async function noComplaints({ page, complaints }: OpenedPage, expected?: RegExp): Promise<void> {
  await page.context().close();
  assert.deepEqual(
    complaints.filter((complaint) => expected?.test(complaint) !== true),
    [],
  );
}
