// Runs a CommonJS file with the code that V8 compiled in an earlier call: compiling it is a quarter of the time of a hook. In
// the built command this takes the place of `require` for guard-answer.js (scripts/build-lean.mjs).
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import { privateFileMode, stateFolder } from '../../store/index.ts';

type Load = (name: string) => unknown;

/** The exports of `file`. `load` is the `require` of a file next to it. */
export function runWithKeptCode(file: string, load: Load): unknown {
  const source = readFileSync(file);
  const kept = keptFile(stateFolder(process.env), file);
  const code = readKept(kept, source);
  const { Script } = load('node:vm') as typeof import('node:vm');
  const text = `(function (exports, require, module) {${source.toString('latin1')}\n})`; // esbuild writes ASCII
  const script = new Script(text, { filename: file, ...(code === undefined ? {} : { cachedData: code }) });
  // At the end, because V8 compiles a function when it is called first. Code that V8 refuses, such as that of a run with
  // other flags, is not replaced: two kinds of calls would replace it in turn.
  if (code === undefined) process.once('exit', () => writeKept(kept, source, script.createCachedData()));
  const built = { exports: {} };
  script.runInThisContext()(built.exports, load, built);
  return built.exports;
}

function keptFile(state: string, file: string): string {
  return path.join(state, 'code', `${path.basename(file, '.js')}-${process.version}-${process.arch}`);
}

/**
 * The source, and the code twice. V8 checks neither: other source of the same length would run the old code, and damaged
 * code would end the process. `undefined` if the two differ, or it is the code of another source.
 */
function readKept(kept: string, source: Buffer): Buffer | undefined {
  try {
    const bytes = readFileSync(kept);
    const half = source.length + (bytes.length - source.length) / 2;
    if (half <= source.length || !source.equals(bytes.subarray(0, source.length))) return undefined;
    const code = bytes.subarray(source.length, half);
    return code.equals(bytes.subarray(half)) ? code : undefined;
  } catch {
    return undefined; // there is none, or it cannot be read
  }
}

function writeKept(kept: string, source: Buffer, code: Buffer): void {
  const temporary = `${kept}.${process.pid}-${Date.now().toString(36)}`;
  try {
    makeFolderSync(path.dirname(kept));
    writeFileSync(temporary, Buffer.concat([source, code, code]), { mode: privateFileMode });
    renameSync(temporary, kept);
  } catch {
    rmSync(temporary, { force: true }); // the next call compiles again
  }
}
