// Which notices a session has shown: an empty file each, whose creation decides, so that of several hooks at the same time
// only one shows the notice.
import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { makeFolderSync } from '../../base/files/index.ts';
import { privateFileMode } from '../../store/index.ts';

export interface NoticeKey {
  readonly sessionId: string;
  /** What the notice is about: a step of a period, or a problem. */
  readonly subject: string;
}

const keptMs = 14 * 24 * 60 * 60 * 1000;

export class NoticeLog {
  readonly #folder: string;

  constructor(state: string) {
    this.#folder = path.join(state, 'guard');
  }

  /** True the first time. Also true if the disk refuses to remember: a notice twice is better than none. */
  isNew({ sessionId, subject }: NoticeKey, nowMs: number): boolean {
    const name = `${sessionId.slice(0, 60)} ${subject}`;
    const file = path.join(this.#folder, `${encodeURIComponent(name).slice(0, 200)}.shown`);
    try {
      makeFolderSync(this.#folder);
      closeSync(openSync(file, 'wx', privateFileMode));
    } catch (error) {
      return systemErrorCode(error) !== 'EEXIST';
    }
    this.#removeOld(nowMs);
    return true;
  }

  #removeOld(nowMs: number): void {
    try {
      for (const name of readdirSync(this.#folder)) {
        const file = path.join(this.#folder, name);
        const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
        if (name.endsWith('.shown') && changed !== undefined && changed < nowMs - keptMs) rmSync(file, { force: true });
      }
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      // Old names stay until the disk allows to remove them.
    }
  }
}
