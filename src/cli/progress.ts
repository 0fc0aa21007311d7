// Work done so far → a bar on the terminal's last line, gone when the work is. Nothing at all in a pipe.
import { formatBytes } from '../base/human.ts';
import { type OutputStream, terminalWidth } from './terminal/output.ts';

export interface Progress {
  start(totalBytes: number): void;
  add(bytes: number): void;
  end(): void;
}

export function createProgress(stderr: OutputStream, env: NodeJS.ProcessEnv, label: string): Progress {
  if (stderr.isTTY !== true) return { start: () => {}, add: () => {}, end: () => {} };
  let [total, done, shownAt] = [0, 0, 0];
  const show = (): void => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const text = `${label} ${String(Math.floor(share * 100)).padStart(3)} % of ${formatBytes(total)}`;
    const room = Math.max(0, Math.min(30, terminalWidth(stderr, env) - text.length - 4));
    const filled = Math.round(share * room);
    stderr.write(`\r\x1b[K${text} ${'━'.repeat(filled)}${'─'.repeat(room - filled)}`);
  };
  return {
    start: (totalBytes) => {
      total = totalBytes;
    },
    add: (bytes) => {
      done += bytes;
      if (Date.now() - shownAt < frameMs) return;
      shownAt = Date.now();
      show();
    },
    end: () => {
      if (shownAt > 0) stderr.write('\r\x1b[K');
    },
  };
}

const frameMs = 100;
