export { instantiateWasm, type WasmMemory } from './wasm.ts';
