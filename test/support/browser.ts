// A real Chromium, Debian's, that playwright-core drives: one per test file, a new profile for every page, and the
// errors of a page, so that a test can assert that there are none.
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
import { seededRandom } from './seeded-random.ts';

const executablePath = '/usr/bin/chromium';

/** For the `skip` of a test. */
export const skipWithoutChromium: string | false = existsSync(executablePath)
  ? false
  : 'chromium is not on this machine';

export interface OpenedPage {
  readonly page: Page;
  /** Errors and warnings that the page printed, uncaught exceptions, and requests to other servers. */
  readonly complaints: readonly string[];
  /** Requests for events that the server has not accepted yet: the page may not hear of what changes now. */
  readonly unheard: ReadonlySet<Request>;
}

let shared: Promise<Browser> | undefined;

/** The browser of this test file; it is closed after the last of its tests. */
export function openBrowser(): Promise<Browser> {
  if (shared === undefined) {
    shared = chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    after(async () => {
      await (await shared)?.close();
    });
  }
  return shared;
}

export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

/** A page with its own profile, at an address; other addresses are reported. `script` runs before the page's scripts. */
export async function openPage(
  url: string,
  options: BrowserContextOptions = desktop,
  script = '',
): Promise<OpenedPage> {
  const browser = await openBrowser();
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  if (script !== '') await context.addInitScript(script);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // A failed request does not name its address.
    const text = message.text();
    complaints.push(text.startsWith('Failed to load') ? `${text} ${message.location().url}` : text);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const address = request.url();
    // A page from disk has no server.
    const isOwn = url.startsWith('file:') ? address === url.split('#')[0] : address.startsWith(`${origin}/`);
    if (!isOwn && !/^(data|blob):/.test(address)) complaints.push(`asked for ${address}`);
  });
  const unheard = new Set<Request>();
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') unheard.add(request);
  });
  page.on('response', (response) => unheard.delete(response.request()));
  page.on('requestfailed', (request) => unheard.delete(request));
  page.setDefaultTimeout(30_000);
  await slowDown(page);
  await page.goto(url);
  return { page, complaints, unheard };
}

/** How many times slower than this machine; `undefined` slows nothing. */
const slowness = process.env.CLEW_SLOW_PAGE;
const random = seededRandom(Number(process.env.CLEW_SEED ?? '1'));
const longestDelayMs = 400;

/**
 * With CLEW_SLOW_PAGE=N the page computes N times slower, and each request of its scripts waits up to 400 ms: this is how a
 * test is found that reads a page too early. Only before it is sent, so that events still arrive one by one.
 */
export async function slowDown(page: Page): Promise<void> {
  if (slowness === undefined) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(slowness) });
  await page.context().route(/\/api\//, async (route) => {
    await setTimeout(random() * longestDelayMs);
    // The page may be closed by now, or another route of the test may come next.
    await route.fallback().catch(() => {});
  });
}
