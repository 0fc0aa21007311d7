export type { ServerConfig } from './config.ts';
export type { McpServers } from './servers.ts';
