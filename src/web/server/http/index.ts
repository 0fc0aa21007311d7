export { startServer } from './server.ts';
