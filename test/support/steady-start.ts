// Loaded before a program with `node --import`: its random numbers come from CLEW_STEADY_SEED and its clock shows
// CLEW_STEADY_CLOCK (milliseconds) until the real time passes it. Two runs then use the same names of files, so that a
// system call of the first run can be found again in the second.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { threadId } from 'node:worker_threads';
import { seededRandom } from './seeded-random.ts';

const { CLEW_STEADY_SEED: seed, CLEW_STEADY_CLOCK: clock } = process.env;

if (seed !== undefined && clock !== undefined) {
  steadyRandom(seededRandom(Number(seed) * 1000 + threadId));
  steadyClock(Number(clock));
}

function steadyRandom(random: () => number): void {
  const fill = <T extends ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
    return view;
  };
  const randomUUID = (): string => {
    const hex = Buffer.from(fill(new Uint8Array(16))).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
      '-',
    );
  };
  const randomBytes = (size: number): Buffer => fill(Buffer.alloc(size));
  const web = { randomUUID, getRandomValues: fill };
  Object.assign(crypto, { randomBytes, randomUUID });
  for (const [name, value] of Object.entries(web))
    Object.defineProperty(globalThis.crypto, name, { value, configurable: true });
  Math.random = random;
  syncBuiltinESMExports();
}

function steadyClock(clock: number): void {
  const RealDate = Date;
  const now = (): number => Math.max(clock, RealDate.now());
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self) as object,
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
