// Which processes still run; zombies do not count.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** Those whose working directory is in the folder, by /proc. */
export function processesIn(folder: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return [];
      return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return []; // it has just ended, or is not ours
    }
  });
}

/** Its children and their children. */
export function processesBelow(parent: number): readonly number[] {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' }).stdout;
  const pairs = listed.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [parent];
  for (const pid of found) for (const [child, of] of pairs) if (of === pid && child !== undefined) found.push(child);
  return found.slice(1);
}
