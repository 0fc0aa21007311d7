// Whether bytes are JSON to the last byte, without decoding them: several times faster than `JSON.parse` for the lines of a
// transcript.
import { parseJson } from '../../base/json/index.ts';
import { instantiateWasm, type WasmMemory } from '../../base/wasm/index.ts';
import { jsonCheckWasm } from './json-check.wasm.ts';

/** `surrogates`: valid, with an escape that may be half of a surrogate pair. */
export type JsonCheck = 'invalid' | 'valid' | 'surrogates';

/** Says of the bytes of any text what `JSON.parse` would say of it. */
export function checkJson(bytes: Uint8Array): JsonCheck {
  const code = bytes.length > longestBytes ? undecided : checkInside(bytes);
  if (code === undecided)
    return parseJson(Buffer.from(bytes).toString('utf8')) === undefined ? 'invalid' : 'surrogates';
  return codes[code] ?? 'invalid';
}

const codes: readonly JsonCheck[] = ['invalid', 'valid', 'surrogates'];
const undecided = 3;

/** Longer lines are parsed, so that the memory of the module, which never shrinks, stays small. */
const longestBytes = 8 * 1024 * 1024;
const pageBytes = 64 * 1024;
/** The module reads strings in steps of this size. */
const stepBytes = 16;

interface Exports {
  inputAt(): number;
  checkJson(length: number): number;
}

let loaded: (Exports & { readonly memory: WasmMemory }) | undefined;
let memory: Uint8Array = new Uint8Array(0);

function checkInside(bytes: Uint8Array): number {
  loaded ??= instantiateWasm<Exports>(jsonCheckWasm);
  const at = loaded.inputAt();
  const missing = at + bytes.length + stepBytes - loaded.memory.buffer.byteLength;
  if (missing > 0) loaded.memory.grow(Math.ceil(missing / pageBytes));
  // A grown memory has a new buffer.
  if (memory.buffer !== loaded.memory.buffer) memory = new Uint8Array(loaded.memory.buffer);
  memory.set(bytes, at);
  return loaded.checkJson(bytes.length);
}
