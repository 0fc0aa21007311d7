export { makeConfinement } from './confinement.ts';
export { MemoryImports } from './memory-imports.ts';
export { type ServerOwner, type ServerView, SetupServers } from './setup-servers.ts';
