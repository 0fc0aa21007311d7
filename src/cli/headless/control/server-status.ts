// The MCP servers of the agent, as `mcp_status` describes them.
import type { McpControl, McpServerView } from '../../../agent/contract/index.ts';
import { asObject, asString, type JsonObject } from '../../../base/json/index.ts';

export function describeServers({ servers }: McpControl): readonly JsonObject[] {
  return servers.map((server) => ({
    name: server.name,
    status: server.status === 'needs-approval' ? 'disabled' : server.status,
    ...(server.info === undefined ? {} : { serverInfo: { ...server.info } }),
    ...(server.problem === undefined ? {} : { error: server.problem }),
    transport: server.transport,
    scope: scopeOf(server),
    source: server.transport === 'sdk' ? 'sdk' : scopeOf(server),
    ...(server.status === 'connected' ? { tools: server.toolDescriptions.map(describeTool) } : {}),
  }));
}

/** Claude Code's word for a server of the command line or of the program. */
function scopeOf({ scope }: McpServerView): string {
  return scope === 'flag' ? 'dynamic' : scope;
}

function describeTool(tool: JsonObject): JsonObject {
  const { readOnlyHint, destructiveHint, openWorldHint } = asObject(tool.annotations) ?? {};
  return {
    name: asString(tool.name) ?? '',
    ...(typeof tool.description === 'string' ? { description: tool.description } : {}),
    annotations: {
      ...(readOnlyHint === true ? { readOnly: true } : {}),
      ...(destructiveHint === true ? { destructive: true } : {}),
      ...(openWorldHint === true ? { openWorld: true } : {}),
    },
  };
}
