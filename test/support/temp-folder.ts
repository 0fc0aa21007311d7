// A temporary folder that is removed after its test, and small trees of files in it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemErrorCode } from '../../src/base/errors/index.ts';
import { afterTest, type Endable } from './after-test.ts';

/**
 * The real path of a new, empty folder, so that results can be compared with it. `{ after }` of node:test
 * instead of a test's context: the folder exists for all tests of the file.
 */
export function temporaryFolder(context: Endable): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'clew-test-')));
  // A process that a test has started may still write its last file.
  afterTest(context, () => removeFolder(folder));
  return folder;
}

/** Only root can look into folders that a test closed: they are opened first. */
export function removeFolder(folder: string): void {
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    remove();
  } catch (error) {
    if (systemErrorCode(error) !== 'EACCES') throw error;
    spawnSync('chmod', ['-R', 'u+rwX', folder]);
    remove();
  }
}

/** Writes files, named by their path below `folder`; missing folders are created. */
export function writeTree(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
