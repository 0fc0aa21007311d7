// The page in real Chromium: a session of 200 MB and 50,000 lines, and the list of 10,000 sessions, each compared with
// a static page in the same round: one with a single word, and the same list as static HTML. Wall times depend on the machine
// and its load; compare the ratios and the CPU times.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { corpusFiles, corpusFolder } from './support/corpus.ts';
import { median } from './support/measure.ts';
import {
  cpuOf,
  launchChromium,
  memoryMbOf,
  openClew,
  openMeasured,
  type Shown,
  serveStatic,
} from './support/served-page.ts';

const clew = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..', 'dist/clew.js');
const rounds = Number(process.env.CLEW_ROUNDS ?? 3);
const sessionPlan = { sessions: 1, linesPerSession: 50_000, bytesPerLine: 2_650 };
const libraryPlan = { sessions: 10_000, linesPerSession: 10, bytesPerLine: 600 };
const scrollSteps = 40;
const part = '.turn[data-loaded]';
const row = '.session-rows .session-row a';

const sessionRoot = corpusFolder('web-session', sessionPlan);
const libraryRoot = corpusFolder('web-library', libraryPlan);
const [file = ''] = corpusFiles(sessionRoot, sessionPlan);
const state = mkdtempSync(path.join(tmpdir(), 'clew-bench-web-'));
const browser = await launchChromium();
const plain = await serveStatic({ '/empty': page('<p id="here">Clew</p>'), '/list': page(listHtml()) });
try {
  // The first page of a browser includes its start-up.
  await (await openMeasured(browser, `${plain.url}/empty`, '#here', 0)).close();
  await benchSession();
  await benchList();
} finally {
  await browser.close();
  plain.server.close();
  rmSync(state, { recursive: true, force: true });
}

async function benchSession(): Promise<void> {
  const size = statSync(file).size;
  const key = path.basename(file, '.jsonl');
  const [empty, first, again]: [Shown[], Shown[], Shown[]] = [[], [], []];
  const notes: { readonly [name: string]: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    empty.push(await measureOnce(browser, `${plain.url}/empty`, '#here', 0));
    const server = await openClew(clew, sessionRoot, path.join(state, `session-${round}`));
    const opened = await openMeasured(browser, server.addressOf(`/s/${key}`), part, server.pid);
    first.push(opened);
    await opened.page.waitForFunction('!document.querySelector(".outline-note")');
    const scrolled = await scrollThrough(opened.page);
    const grown = await measureAppends(opened.page, server.pid, size);
    const heapMb = await opened.heapMb();
    await opened.close();
    again.push(await measureOnce(browser, server.addressOf(`/s/${key}`), part, server.pid));
    notes.push({ ...scrolled, ...grown, heapMb, serverMb: memoryMbOf(server.pid, 'VmHWM') });
    await server.stop();
  }
  print(
    `a session of ${(size / 1e6).toFixed(0)} MB and ${sessionPlan.linesPerSession} lines, until its first turn is shown`,
    [
      ['a page with one word', empty],
      ['the session, server just started', first],
      ['the session, read before', again],
    ],
  );
  const of = (name: string): number => median(notes.map((note) => note[name] ?? Number.NaN));
  console.log(
    `  scrolled to its end in ${scrollSteps} steps: ${of('blanks')} with a blank, ${of('placeholders')} with a turn still on its way`,
  );
  console.log(
    `  an append is shown after ${of('appendMs').toFixed(0)} ms, with ${of('appendCpuMs').toFixed(0)} ms CPU of the server`,
  );
  console.log(
    `  heap of the page ${of('heapMb').toFixed(0)} MB, most memory of the server ${of('serverMb').toFixed(0)} MB`,
  );
}

async function benchList(): Promise<void> {
  const [empty, html, cold, warm]: [Shown[], Shown[], Shown[], Shown[]] = [[], [], [], []];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round++) {
    empty.push(await measureOnce(browser, `${plain.url}/empty`, '#here', 0));
    html.push(await measureOnce(browser, `${plain.url}/list`, 'tr:last-child a', 0));
    const home = path.join(state, `library-${round}`);
    for (const shown of [cold, warm]) {
      const server = await openClew(clew, libraryRoot, home);
      shown.push(await measureOnce(browser, server.url, row, server.pid));
      if (shown === cold) await waitUntilCurrent(server.pid);
      memory.push(memoryMbOf(server.pid, 'VmHWM'));
      await server.stop();
    }
  }
  print(`the list of ${libraryPlan.sessions} sessions, until its first rows are shown`, [
    ['a page with one word', empty],
    ['the same list as static HTML', html],
    ['the list, no index yet', cold],
    ['the list, from the index', warm],
  ]);
  console.log(`  most memory of the server ${Math.max(...memory).toFixed(0)} MB`);
}

/** In even steps to the end; each step is checked twice, after two frames and after loading. */
async function scrollThrough(page: Page): Promise<{ readonly blanks: number; readonly placeholders: number }> {
  let [blanks, placeholders] = [0, 0];
  for (let step = 1; step <= scrollSteps; step++) {
    const seen = (await page.evaluate(`(${scrollTo.toString()})(${step / scrollSteps})`)) as {
      isBlank: boolean;
      waits: boolean;
    };
    if (seen.isBlank) blanks++;
    if (seen.waits) placeholders++;
    await page.waitForFunction('!document.querySelector(".row .turn:not([data-loaded])")');
  }
  return { blanks, placeholders };
}

/** Runs in the page: whether the middle of the screen has no row at all, and whether one waits for its content. */
async function scrollTo(share: number): Promise<{ isBlank: boolean; waits: boolean }> {
  const { document, requestAnimationFrame } = globalThis as unknown as PageScope;
  const pane = document.querySelector('.conversation');
  if (pane === null) return { isBlank: true, waits: true };
  pane.scrollTop = (pane.scrollHeight - pane.clientHeight) * share;
  for (let frame = 0; frame < 2; frame++) await new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
  const box = pane.getBoundingClientRect();
  const points = [0.1, 0.5, 0.9].map((at) => document.elementFromPoint(box.x + box.width / 2, box.y + box.height * at));
  const isBlank = points.some((element) => element?.closest('.row') == null);
  return { isBlank, waits: document.querySelector('.row .turn:not([data-loaded])') !== null };
}

interface PageElement {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  getBoundingClientRect(): { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  closest(selector: string): PageElement | null;
}

interface PageScope {
  readonly document: {
    querySelector(selector: string): PageElement | null;
    elementFromPoint(x: number, y: number): PageElement | null;
  };
  requestAnimationFrame(work: () => void): void;
}

/** Appends a prompt and its answer to the file, and removes them afterwards. */
async function measureAppends(
  page: Page,
  pid: number,
  size: number,
): Promise<{ appendMs: number; appendCpuMs: number }> {
  const lines = readFileSync(file).subarray(-100_000).toString('utf8').trimEnd().split('\n');
  let parentUuid = (JSON.parse(lines.at(-1) ?? '') as { uuid: string }).uuid;
  const { sessionId } = JSON.parse(lines.at(-1) ?? '') as { sessionId: string };
  const [waits, cpus]: [number[], number[]] = [[], []];
  try {
    for (let i = 0; i < 5; i++) {
      const uuid = `00000000-0000-4000-a000-${String(i).padStart(12, '0')}`;
      const word = `appended-${i}`;
      const cpuBefore = cpuOf(pid);
      const writtenAt = performance.now();
      const message = { role: 'user', content: word };
      const line = {
        parentUuid,
        uuid,
        sessionId,
        type: 'user',
        isSidechain: false,
        timestamp: new Date().toISOString(),
        message,
      };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      await page.waitForFunction(`document.querySelector('.conversation')?.textContent.includes('${word}')`);
      waits.push(performance.now() - writtenAt);
      await new Promise((resolve) => setTimeout(resolve, 500));
      cpus.push(cpuOf(pid) - cpuBefore);
      parentUuid = uuid;
    }
  } finally {
    truncateSync(file, size);
  }
  return { appendMs: median(waits), appendCpuMs: median(cpus) };
}

async function measureOnce(of: Browser, url: string, selector: string, pid: number): Promise<Shown> {
  const opened = await openMeasured(of, url, selector, pid);
  await opened.close();
  return opened;
}

/** The index is current once the server has nothing to do for a while. */
async function waitUntilCurrent(pid: number): Promise<void> {
  for (let before = -1; cpuOf(pid) - before > 200; ) {
    before = cpuOf(pid);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
}

function print(title: string, rows: readonly (readonly [string, readonly Shown[]])[]): void {
  const base = median((rows[0]?.[1] ?? []).map(({ shownMs }) => shownMs));
  console.log(`\n${title}\n  medians of ${rounds} rounds; the last column is the ratio to the first row`);
  for (const [name, all] of rows) {
    const of = (key: keyof Shown): string =>
      median(all.map((each) => each[key]))
        .toFixed(0)
        .padStart(6);
    const ratio = (median(all.map(({ shownMs }) => shownMs)) / base).toFixed(1).padStart(7);
    console.log(
      `  ${name.padEnd(34)} shown${of('shownMs')} ms  painted${of('paintMs')} ms  CPU page${of('pageCpuMs')} ms  server${of('serverCpuMs')} ms${ratio}×`,
    );
  }
}

function page(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Clew</title><body>${body}`;
}

function listHtml(): string {
  const names = readdirSync(path.join(libraryRoot, 'projects'), { recursive: true, encoding: 'utf8' });
  const rows = names
    .filter((name) => name.endsWith('.jsonl'))
    .map(
      (name) =>
        `<tr><td><a href="/s/${path.basename(name, '.jsonl')}">${path.basename(name)}</a><td>${path.dirname(name)}<td>7 KB`,
    );
  return `<table>${rows.join('\n')}</table>`;
}
