// Creates twelve pictures of the pages in build/pictures, on a screen and on a phone, light and dark, and copies four of them
// to docs/pictures: build first (`npm run build`), then `node scripts/screenshot.mjs`. The sessions are those of the demo and
// one that runs. It needs Chromium, at /usr/bin/chromium or at the path in CHROMIUM.
import { spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const folder = 'build/pictures';
const maxBytes = 300_000;
const sessionId = '463b11e7-f2cd-4a8c-b793-f776502024ef';
const liveId = '5d0c7a52-9f0e-4c1b-8a36-0c9a4f1e7b21';

const screen = { width: 1200, height: 675 };
const phone = { width: 390, height: 844 };
const session = { address: `/s/${sessionId}`, shown: '.turn .answer' };
const live = { address: `/s/${liveId}?at=end`, shown: '.call .running' };
const library = { address: '/', shown: '.session-rows [data-stop]' };
const search = { address: '/?q=highlighter', shown: 'main mark' };
const usage = { address: '/usage', shown: '.top-lists li' };
const health = { address: '/health', shown: 'main h2' };
const livePage = { address: '/live', shown: '.live-session li' };

/** `doc`: the name of the copy in docs/pictures. */
const pictures = [
  { name: 'live-dark', ...live, size: screen, scheme: 'dark', doc: 'page-live.png' },
  { name: 'session-light', ...session, size: screen, scheme: 'light', doc: 'page.png' },
  { name: 'session-phone-dark', ...session, size: phone, scheme: 'dark', doc: 'page-phone.png' },
  { name: 'library-light', ...library, size: screen, scheme: 'light' },
  { name: 'library-phone-dark', ...library, size: phone, scheme: 'dark' },
  { name: 'search-dark', ...search, size: screen, scheme: 'dark' },
  { name: 'search-phone-light', ...search, size: phone, scheme: 'light' },
  { name: 'usage-dark', ...usage, size: screen, scheme: 'dark', doc: 'page-usage.png' },
  { name: 'usage-phone-light', ...usage, size: phone, scheme: 'light' },
  { name: 'health-light', ...health, size: screen, scheme: 'light' },
  { name: 'health-phone-dark', ...health, size: phone, scheme: 'dark' },
  { name: 'live-page-phone-light', ...livePage, size: phone, scheme: 'light' },
];

const home = mkdtempSync(path.join(tmpdir(), 'clew-picture-'));
const root = path.join(home, 'library');
cpSync('demo', root, { recursive: true });
mkdirSync(path.join(root, 'projects/-home-ada-lighthouse'), { recursive: true });
writeFileSync(path.join(root, 'projects/-home-ada-lighthouse', `${liveId}.jsonl`), runningSession());
const clew = spawn(process.execPath, ['dist/clew.js', 'open', '--json', '--no-browser', '--root', root], {
  env: { ...process.env, CLEW_HOME: path.join(home, 'state') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  const { url } = JSON.parse(String(await new Promise((resolve) => clew.stdout.once('data', resolve))));
  mkdirSync(folder, { recursive: true });
  for (const picture of pictures) await take(url, picture);
} finally {
  await browser.close();
  clew.kill('SIGINT');
  rmSync(home, { recursive: true, force: true });
}

async function take(url, { name, address, shown, size, scheme, doc }) {
  const page = await browser.newPage({
    viewport: size,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    hasTouch: size === phone,
  });
  const place = new URL(address, url);
  place.hash = new URL(url).hash;
  await page.goto(place.href);
  await page.locator(shown).first().waitFor();
  await page.locator('.index-progress').waitFor({ state: 'detached' });
  // Numbers and charts arrive after the first text.
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {}); // the stream of events stays open
  const file = path.join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  await page.context().close();
  const { size: bytes } = statSync(file);
  console.log(`${file}: ${Math.round(bytes / 1024)} KB`);
  if (doc === undefined) return;
  if (bytes > maxBytes) throw new Error(`${file} is larger than ${maxBytes / 1000} KB`);
  copyFileSync(file, path.join('docs/pictures', doc));
}

/** A session whose last call has no result yet. */
function runningSession() {
  const now = Date.now();
  let lines = 0;
  const line = (type, content, agoMs) => {
    lines++;
    return {
      type,
      uuid: `live-${lines}`,
      parentUuid: lines === 1 ? null : `live-${lines - 1}`,
      sessionId: liveId,
      cwd: '/home/ada/lighthouse',
      version: '2.1.150',
      timestamp: new Date(now - agoMs).toISOString(),
      message:
        type === 'user'
          ? { role: 'user', content }
          : {
              role: 'assistant',
              id: `msg_live_${lines}`,
              model: 'claude-opus-4-5-20251101',
              content,
              usage: { input_tokens: 2_100, cache_read_input_tokens: 14_000 + 300 * lines, output_tokens: 180 },
            },
    };
  };
  const entries = [
    line('user', 'build the site for every language and check the links', 95_000),
    line('assistant', [{ type: 'text', text: 'First the build, then the links of each language.' }], 80_000),
    line('assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm run build' } }], 70_000),
    line(
      'user',
      [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1,204 pages in 8.31 s\nlanguages: en, de, fr' }],
      55_000,
    ),
    line(
      'assistant',
      [{ type: 'tool_use', id: 'toolu_2', name: 'Bash', input: { command: 'npm run check-links -- --all' } }],
      12_000,
    ),
  ];
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
