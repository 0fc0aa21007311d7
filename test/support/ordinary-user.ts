// Root may read and write everything, so what permissions refuse is tried as another user: here are that user, and Clew's
// program where that user may run it. For an ordinary user who runs the tests there is nothing to change.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, lchownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clew } from './dist.ts';
import { projectRoot } from './paths.ts';
import { listTree } from './tree-snapshot.ts';

/** Options of `spawn` and `runClew`; empty unless root runs the tests. */
export const ordinaryUser: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export function giveToOrdinaryUser(folder: string): void {
  const { uid, gid } = ordinaryUser;
  if (uid === undefined || gid === undefined) return;
  for (const file of [folder, ...listTree(folder)]) lchownSync(file, uid, gid);
}

let reachable: readonly string[] | undefined;

/** Node and Clew's program. The checkout of root may be below a folder that only root may enter: then they are copied. */
export function ordinaryProgram(): readonly string[] {
  reachable ??= mayRun([process.execPath, clew, '--help']) ? [process.execPath, clew] : copyProgram();
  return reachable;
}

function mayRun([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { ...ordinaryUser, cwd: '/' }).status === 0;
}

/** The packages that `dist/` does not contain. */
const packages = ['libsql', '@libsql', '@neon-rs', 'detect-libc', '@vscode'];

function copyProgram(): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-program-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const parts = ['package.json', 'dist', 'demo', ...packages.map((name) => `node_modules/${name}`)];
  for (const part of parts) cpSync(path.join(projectRoot, part), path.join(folder, part), { recursive: true });
  const node = mayRun([process.execPath, '--version']) ? process.execPath : path.join(folder, 'bin/node');
  if (node !== process.execPath) {
    mkdirSync(path.dirname(node));
    cpSync(process.execPath, node);
  }
  chmodSync(folder, 0o755);
  spawnSync('chmod', ['-R', 'a+rX', folder]);
  const program = [node, path.join(folder, path.relative(projectRoot, clew))];
  if (!mayRun([...program, '--help'])) throw new Error(`${program.join(' ')} cannot be run by another user`);
  return program;
}
