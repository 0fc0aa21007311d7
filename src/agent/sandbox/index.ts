export { findMechanism, makeSandbox, noMechanism } from './sandbox.ts';
export { readSandboxSettings, type SandboxSettings } from './settings.ts';
