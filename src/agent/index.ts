export { openAgent } from './agent.ts';
