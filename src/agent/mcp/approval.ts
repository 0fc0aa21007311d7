// A server that the project brings along → may it be started? It is a program of whoever wrote the repository, so the yes
// must come from the user: from their settings or their project settings, or when asked. What the repository says about its
// own servers counts only where it says no.
import { isArray } from '../../base/json.ts';
import type { SettingsFile } from '../settings.ts';
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
