// Loaded before a program (`node --import`), it adds CLEW_INODES to every inode number that the program sees. As the system
// does, it gives a rounded number to those who ask for a number, and the exact one to those who ask for a bigint.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

interface WithInode {
  ino: number | bigint;
}

const added = BigInt(process.env.CLEW_INODES ?? '0');

function shift<T>(stats: T): T {
  const found = stats as WithInode | undefined;
  if (typeof found?.ino === 'bigint') found.ino += added;
  else if (typeof found?.ino === 'number') found.ino = Number(BigInt(found.ino) + added);
  return stats;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

function wrap(holder: object, name: string, change: (call: AnyFunction) => AnyFunction): void {
  const functions = holder as Record<string, AnyFunction>;
  const call = functions[name];
  if (call === undefined) throw new Error(`this Node has no ${name}`);
  functions[name] = change(call);
}

for (const name of ['statSync', 'lstatSync', 'fstatSync'])
  wrap(
    fs,
    name,
    (call) =>
      function (...args) {
        return shift(call.apply(this, args));
      },
  );
for (const name of ['stat', 'lstat', 'fstat'])
  wrap(
    fs,
    name,
    (call) =>
      function (...args) {
        const done = args.pop() as (error: unknown, stats: unknown) => void;
        return call.apply(this, [...args, (error: unknown, stats: unknown) => done(error, shift(stats))]);
      },
  );
const wrapPromise = (call: AnyFunction): AnyFunction =>
  async function (...args) {
    return shift(await call.apply(this, args));
  };
for (const name of ['stat', 'lstat']) wrap(fs.promises, name, wrapPromise);
const handle = await fs.promises.open(process.execPath);
wrap(Object.getPrototypeOf(handle), 'stat', wrapPromise);
await handle.close();
syncBuiltinESMExports();
