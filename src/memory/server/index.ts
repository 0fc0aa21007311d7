export { serveMemory } from './serve.ts';
export { toolDefinitions } from './tools.ts';
