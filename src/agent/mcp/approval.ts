// Whether an MCP server of the project may start. It is a program from the repository, so the user must approve it, in
// their settings, in the local settings or when asked. What the repository says about its own servers counts only if it
// disables them.
import { isArray } from '../../base/json/json.ts';
import type { SettingsFile } from '../settings/settings.ts';
import type { ServerConfig } from './config.ts';

export type ApproveServer = (server: ServerConfig) => Promise<boolean>;

export type ApprovalAnswer = 'approved' | 'disabled' | 'unanswered';

export async function judgeServer(
  server: ServerConfig,
  settings: readonly SettingsFile[],
  approve: ApproveServer | undefined,
): Promise<ApprovalAnswer> {
  if (settings.some(({ value }) => includes(value.disabledMcpjsonServers, server.name))) return 'disabled';
  if (server.scope !== 'project') return 'approved';
  const own = settings.filter(({ scope }) => scope !== 'project');
  if (own.some(({ value }) => value.enableAllProjectMcpServers === true)) return 'approved';
  if (own.some(({ value }) => includes(value.enabledMcpjsonServers, server.name))) return 'approved';
  if (approve === undefined) return 'unanswered';
  return (await approve(server)) ? 'approved' : 'disabled';
}

function includes(list: unknown, name: string): boolean {
  return isArray(list) && list.includes(name);
}
