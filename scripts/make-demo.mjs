// Writes the bundled demo library: node scripts/make-demo.mjs [FOLDER], by default demo/ in the checkout.
// Every byte follows from the sources in scripts/demo, so that a second run changes nothing.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beaconLogo } from './demo/sessions/beacon-logo.mjs';
import { darkMode } from './demo/sessions/dark-mode.mjs';
import { fixSlug } from './demo/sessions/fix-slug.mjs';
import { misoSoup } from './demo/sessions/miso-soup.mjs';
import { slowBuild } from './demo/sessions/slow-build.mjs';

const target = path.resolve(process.argv[2] ?? fileURLToPath(new URL('../demo', import.meta.url)));
const sessions = [fixSlug(), slowBuild(), darkMode(), beaconLogo(), misoSoup()];

rmSync(path.join(target, 'projects'), { recursive: true, force: true });
let sizeBytes = 0;
for (const [name, text] of sessions.flatMap((session) => session.files())) {
  const file = path.join(target, 'projects', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  sizeBytes += Buffer.byteLength(text);
}
console.log(`${sessions.length} sessions, ${sizeBytes} bytes in ${target}`);
