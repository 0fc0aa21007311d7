// `--permission-prompt-tool mcp__server__tool`: a tool of an MCP server decides whether a call may run.
import type { Agent } from '../../../agent/contract/index.ts';
import { asObject, isArray, type JsonObject, parseJson } from '../../../base/json/index.ts';
import { type AskerOptions, makePermissionAsker, type PermissionAsker } from './permission.ts';

export function makeToolAsker(
  name: string,
  common: Omit<AskerOptions, 'ask' | 'who'>,
  agent: () => Promise<Agent>,
): PermissionAsker {
  const { approve } = makePermissionAsker({
    ...common,
    who: 'The permission prompt tool',
    ask: async ({ toolName, input, callId }, signal) => {
      const request = { tool_name: toolName, input, tool_use_id: callId };
      const servers = await (await agent()).mcp();
      return decisionOf(await servers.call(name, request, signal));
    },
  });
  // Such a tool decides about calls; it does not answer questions of the model.
  return { approve, askUser: async () => undefined };
}

/** The tool returns its decision as the JSON text of its first block. */
function decisionOf(content: string | readonly JsonObject[]): JsonObject {
  const text = isArray(content) ? content.find(({ type }) => type === 'text')?.text : content;
  return (typeof text === 'string' ? asObject(parseJson(text)) : undefined) ?? {};
}
