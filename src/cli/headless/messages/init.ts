// `system/init`: what a turn starts with. It comes before the first message of every turn.
import { randomUUID } from 'node:crypto';
import type { AgentState } from '../../../agent/contract/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';
import { version } from '../../../base/version/index.ts';
import { ownCommandNames } from './local-commands.ts';

/** The client whose messages these are: programs compare it with the version that brought a feature. */
export const clientVersion = '2.1.325';

export interface InitFacts {
  readonly betas: readonly string[];
}

export function initMessage(state: AgentState, { betas }: InitFacts): JsonObject {
  const commands = [...state.commands.map(({ name }) => name), ...ownCommandNames];
  return {
    type: 'system',
    subtype: 'init',
    cwd: state.cwd,
    session_id: state.sessionId,
    // The client lists the tool Agent under its old name.
    tools: state.tools.map((name) => (name === 'Agent' ? 'Task' : name)),
    mcp_servers: state.mcpServers.map(({ name, status, scope }) => ({
      name,
      status: serverStatuses[status] ?? status,
      ...(scope === undefined ? {} : { source: serverSources[scope] ?? scope }),
    })),
    model: state.model,
    permissionMode: state.mode,
    slash_commands: [...new Set(commands)],
    apiKeySource: state.apiKeySource,
    claude_code_version: clientVersion,
    clew_version: version,
    output_style: 'default',
    agents: state.agents.map(({ name }) => name),
    skills: state.commands.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    plugins: [],
    ...(betas.length === 0 ? {} : { betas: [...betas] }),
    fast_mode_state: 'off',
    uuid: randomUUID(),
  };
}

/** Clew's names → the SDK's. */
const serverStatuses: Readonly<Record<string, string>> = { 'needs-approval': 'pending' };
const serverSources: Readonly<Record<string, string>> = { flag: 'dynamic', host: 'sdk' };
