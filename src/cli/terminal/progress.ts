// Progress of long work → a bar on the terminal, drawn once the work turns out to be long and removed at the end. In a
// pipe or a file there is none.
import type { OutputStream } from './output.ts';

export interface Progress {
  update(done: number, total: number): void;
  end(): void;
}

export interface ProgressOptions {
  readonly stderr: OutputStream;
  /** Such as `reading sessions`. */
  readonly label: string;
  readonly now?: () => number;
}

const delayMs = 400;
const frameMs = 80;
const barColumns = 24;

export function showProgress({ stderr, label, now = Date.now }: ProgressOptions): Progress {
  const startedAt = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    update: (done, total) => {
      const time = now();
      if (stderr.isTTY !== true || total <= 0 || time - startedAt < delayMs || time - drawnAt < frameMs) return;
      drawnAt = time;
      isDrawn = true;
      stderr.write(`\r${progressLine(label, done / total)}\x1b[K`);
    },
    end: () => {
      if (isDrawn) stderr.write('\r\x1b[K');
      isDrawn = false;
    },
  };
}

/** For work that reports each piece it has done. */
export interface ByteProgress {
  start(totalBytes: number): void;
  add(bytes: number): void;
  end(): void;
}

export function showByteProgress(stderr: OutputStream, label: string): ByteProgress {
  const progress = showProgress({ stderr, label });
  let [total, done] = [0, 0];
  return {
    start: (totalBytes) => {
      total = totalBytes;
    },
    add: (bytes) => {
      done += bytes;
      progress.update(done, total);
    },
    end: progress.end,
  };
}

export function progressLine(label: string, share: number): string {
  const part = Math.min(1, Math.max(0, share));
  const filled = Math.round(part * barColumns);
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(barColumns - filled)} ${Math.floor(part * 100)} %`;
}
