// Waits for something that another process, or the system, will do soon; with long timeouts, because machines are slow.
import { setTimeout } from 'node:timers/promises';

/** Returns the first value of `look`; on a timeout fails with the text of `describe`. */
export async function waitFor<T>(look: () => T | undefined | false, describe: () => string = () => ''): Promise<T> {
  for (let tries = 0; tries < 3000; tries++) {
    const value = look();
    if (value !== undefined && value !== false) return value;
    await setTimeout(10);
  }
  throw new Error(`it never happened: ${look}\n${describe()}`);
}
