// Starts a WebAssembly module of this project (NAME.as.ts, built by scripts/wasm.mjs into NAME.wasm.ts).

/** The memory of a module. `buffer` is a new one after `grow`. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The exports of a module that imports nothing. Compiling one of 15 KB takes less than a millisecond. */
export function instantiateWasm<Exports>(base64: string): Exports & { readonly memory: WasmMemory } {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WasmApi }).WebAssembly;
  return new Instance(new Module(Buffer.from(base64, 'base64'))).exports as Exports & { readonly memory: WasmMemory };
}

/** The types of Node 20 do not declare it. */
interface WasmApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}
