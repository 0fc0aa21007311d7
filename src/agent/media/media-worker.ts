// The worker thread: answers one job after the other. After a failure it is not used again: the memory of a decoder may be
// in any state.
import { parentPort } from 'node:worker_threads';
import type { MediaAnswer, MediaJob } from './job.ts';

async function work(job: MediaJob): Promise<MediaAnswer<MediaJob>> {
  try {
    if (job.kind === 'image') return await (await import('./scale-image.ts')).scaleImage(job);
    return await (await import('./pdf-pages.ts')).extractPages(job);
  } catch (error) {
    // Some decoders throw numbers.
    const text = error instanceof Error ? (error.message.split('\n')[0] ?? '').slice(0, 200) : '';
    return { problem: `its data is damaged${text === '' ? '' : ` (${text})`}` };
  }
}

parentPort?.on('message', (job: MediaJob) => void work(job).then((answer) => parentPort?.postMessage(answer)));
