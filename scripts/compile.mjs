// Compiles sources, tests and benchmarks into build/, and builds dist/; both only as far as their inputs changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const tsc = 'node_modules/typescript/bin/tsc';

/** Runs Node with the arguments and ends this process if that fails. */
export function runNode(argv, options = {}) {
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}

/** build/ mirrors the sources: what a deleted or renamed source left there is removed. */
export function compile() {
  for (const file of listFiles('build')) {
    const source = file.slice('build/'.length).replace(/\.(js|d\.ts)(\.map)?$/, '');
    if (source !== file.slice('build/'.length) && !existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`))
      rmSync(file);
  }
  runNode([tsc, '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', 'build/.tsbuildinfo']);
}

const stamp = 'build/dist-inputs';

/** Builds dist/ unless it was built from exactly these inputs. */
export function buildDist() {
  if (existsSync('dist/clew.js') && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashDistInputs()) return;
  runNode(['scripts/build.mjs']);
}

/** Written by the build itself, so that `npm install` leaves it too. */
export function stampDist() {
  mkdirSync('build', { recursive: true });
  writeFileSync(stamp, hashDistInputs());
}

function hashDistInputs() {
  const hash = createHash('sha256');
  const scripts = listFiles('scripts').filter((file) => path.basename(file).startsWith('build'));
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.types.json'];
  for (const file of [...listFiles('src'), ...scripts, ...settings])
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** All files below a folder, as paths with forward slashes. */
export function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.posix.join(entry.parentPath.replaceAll('\\', '/'), entry.name))
    .sort();
}
