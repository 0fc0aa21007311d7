// How far a long piece of work is → a bar on a terminal, drawn only once the work has turned out to be long, and gone
// when it ends. In a pipe or a file there is none.
import type { OutputStream } from './output.ts';

export interface Progress {
  update(done: number, total: number): void;
  end(): void;
}

export interface ProgressOptions {
  readonly stderr: OutputStream;
  /** What is being done: `reading sessions`. */
  readonly label: string;
  readonly now?: () => number;
}

const patienceMs = 400;
const frameMs = 80;
const barColumns = 24;

export function showProgress({ stderr, label, now = Date.now }: ProgressOptions): Progress {
  const startedAt = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    update: (done, total) => {
      const time = now();
      if (stderr.isTTY !== true || total <= 0 || time - startedAt < patienceMs || time - drawnAt < frameMs) return;
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

export function progressLine(label: string, share: number): string {
  const part = Math.min(1, Math.max(0, share));
  const filled = Math.round(part * barColumns);
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(barColumns - filled)} ${Math.floor(part * 100)} %`;
}
