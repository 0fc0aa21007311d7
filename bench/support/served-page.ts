// A page in real Chromium, measured from inside: the time until it showed the expected content (since the navigation,
// including redirects), the work of its main thread and its server, and its memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

export interface Shown {
  /** From the navigation until the expected content is in the page, and until the first paint. */
  readonly shownMs: number;
  readonly paintMs: number;
  /** The work of the page's main thread and of the server until then. */
  readonly pageCpuMs: number;
  readonly serverCpuMs: number;
}

export interface OpenedPage extends Shown {
  readonly page: Page;
  heapMb(): Promise<number>;
  close(): Promise<void>;
}

export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info'];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args });
}

/** `pid` 0: the server is not measured. */
export async function openMeasured(browser: Browser, url: string, selector: string, pid: number): Promise<OpenedPage> {
  // The condition is evaluated in the page, which its policy otherwise forbids.
  const view = { viewport: { width: 1280, height: 800 }, bypassCSP: true } as const;
  const context = await browser.newContext({ ...view, reducedMotion: 'reduce' });
  await context.addInitScript(watchFor, selector);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const serverBefore = cpuOf(pid);
  await page.goto(url, { waitUntil: 'commit' });
  const shownMs = (await (await page.waitForFunction('globalThis.clewShownMs')).jsonValue()) as number;
  const serverCpuMs = cpuOf(pid) - serverBefore;
  const pageCpuMs = (await metricOf(devtools, 'TaskDuration')) * 1000;
  const paintMs = await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0');
  return {
    page,
    shownMs,
    paintMs: Number(paintMs),
    pageCpuMs,
    serverCpuMs,
    heapMb: async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      return (await metricOf(devtools, 'JSHeapUsedSize')) / 1e6;
    },
    close: () => context.close(),
  };
}

/** Runs in the page, with every frame: the document has then been painted, or is with the next frame. */
function watchFor(selector: string): void {
  const scope = globalThis as unknown as {
    document: { querySelector(selector: string): unknown };
    requestAnimationFrame(work: () => void): void;
    clewShownMs?: number;
  };
  const look = (): void => {
    if (scope.document.querySelector(selector) === null) scope.requestAnimationFrame(look);
    else scope.clewShownMs = performance.now();
  };
  look();
}

async function metricOf(devtools: CDPSession, name: string): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
}

/** User and system time of a process with all its threads, in milliseconds. */
export function cpuOf(pid: number): number {
  if (pid === 0) return 0;
  // The name, which may contain spaces, is in brackets; a tick is ten milliseconds.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function memoryMbOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
}

export interface RunningClew {
  readonly pid: number;
  readonly url: string;
  addressOf(path: string): string;
  stop(): Promise<void>;
}

export async function openClew(clew: string, root: string, home: string): Promise<RunningClew> {
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const argv = [clew, 'open', '--no-browser', '--json', '--root', root];
  const child = spawn(process.execPath, argv, {
    env: { ...env, CLEW_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const line = await firstLine(child);
  const { url } = JSON.parse(line) as { url: string };
  return {
    pid: child.pid ?? 0,
    url,
    addressOf: (path) => url.replace('/?', `${path}?`),
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const piece of child.stdout ?? []) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return text;
}

/** The pages to compare with: static files. */
export async function serveStatic(pages: Readonly<Record<string, string>>): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const body = pages[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
