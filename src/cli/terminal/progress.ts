// Work that takes long → one line on the terminal that says how far it is; nothing in a pipe, and nothing for work that
// is done before anybody could read it.
import type { OutputStream } from './output.ts';

export interface ProgressBar {
  update(done: number, total: number): void;
  /** Takes the line away. */
  end(): void;
}

const delayMs = 400;
const everyMs = 100;
const barWidth = 24;

export function startProgress(stream: OutputStream, label: string): ProgressBar {
  if (stream.isTTY !== true) return { update: () => {}, end: () => {} };
  const start = Date.now();
  let drawnAt = 0;
  return {
    update: (done, total) => {
      const now = Date.now();
      if (now - start < delayMs || now - drawnAt < everyMs || total <= 0) return;
      drawnAt = now;
      const share = Math.min(1, done / total);
      const filled = Math.round(share * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      stream.write(`\r\x1b[K${label} ${bar} ${Math.floor(share * 100)} %`);
    },
    end: () => {
      if (drawnAt > 0) stream.write('\r\x1b[K');
    },
  };
}
