// What the tests of the pages share: addresses with the token, rows of the list, counts, and an end without complaints.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { OpenedPage } from '../support/browser.ts';
import type { WebServer } from '../support/web-server.ts';

/** Where a browser that has never been here is let in. */
export function at(server: WebServer, address: string): string {
  const url = new URL(address, server.base);
  url.hash = new URL(server.url).hash;
  return url.href;
}

/** The row of a session in the list. */
export function rowOf(page: Page, id: string): Locator {
  return page.locator('.session-rows tr').filter({ has: page.locator(`a[href="/s/${id}"]`) });
}

/** Where links lead, in the order of the page. */
export function hrefsOf(page: Page, selector: string): Promise<string[]> {
  const links = `document.querySelectorAll(${JSON.stringify(selector)})`;
  return page.evaluate<string[]>(`Array.from(${links}, (link) => link.getAttribute('href'))`);
}

/** Once it is so. The page's policy forbids what Playwright's own waiting for a script would do. */
export async function isTrue(page: Page, script: string): Promise<void> {
  await waitForAsync(() => page.evaluate<boolean>(script), script);
}

export async function hasCount(page: Page, selector: string, count: number): Promise<void> {
  await waitForAsync(async () => (await page.locator(selector).count()) === count, `${count} of ${selector}`);
}

const stepMs = 20;
const patienceMs = 30_000;

async function waitForAsync(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

export async function noComplaints({ page, complaints }: OpenedPage): Promise<void> {
  await page.context().close();
  assert.deepEqual(complaints, []);
}
