// Creates docs/pictures/page.png, the picture of the README, from the demo library: build first (`npm run build`), then
// `node scripts/screenshot.mjs`. It needs Chromium, at /usr/bin/chromium or at the path in CHROMIUM.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const file = 'docs/pictures/page.png';
const maxBytes = 300_000;
const home = mkdtempSync(path.join(tmpdir(), 'clew-picture-'));
const clew = spawn(process.execPath, ['dist/clew.js', 'open', '--demo', '--json', '--no-browser'], {
  env: { ...process.env, CLEW_HOME: home },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  const { url } = JSON.parse(String(await new Promise((resolve) => clew.stdout.once('data', resolve))));
  const page = await browser.newPage({ viewport: { width: 1200, height: 675 }, reducedMotion: 'reduce' });
  await page.goto(url);
  // A session shows more of the page than a list of five.
  await page.getByRole('link', { name: 'Find out why the build is slow' }).click();
  await page.locator('.turn .answer').first().waitFor();
  await page.locator('.index-progress').waitFor({ state: 'detached' });
  mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  console.log(`${file}: ${Math.round(size / 1024)} KB`);
  if (size > maxBytes) throw new Error(`${file} is larger than ${maxBytes / 1000} KB`);
} finally {
  await browser.close();
  clew.kill('SIGINT');
  rmSync(home, { recursive: true, force: true });
}
