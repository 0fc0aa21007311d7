// Assertions about something that changes while a test looks, such as a page in a browser: read once, it may be too early.
import { setTimeout } from 'node:timers/promises';

const stepMs = 20;
const patienceMs = 30_000;

/**
 * Repeats an assertion until it passes, and returns what it returns. After 30 s the last error fails the test. Every
 * repetition must read again: `await eventually(async () => assert.equal(await row.count(), 3))`.
 */
export async function eventually<T>(check: () => Promise<T>, forMs: number = patienceMs): Promise<T> {
  for (const end = performance.now() + forMs; ; await setTimeout(stepMs)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}
