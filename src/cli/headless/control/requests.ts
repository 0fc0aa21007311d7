// The requests that the program may send while the agent runs, one handler each. What Clew cannot do is an error, never
// an empty success.
import { type Agent, isPermissionMode, permissionModes } from '../../../agent/contract/index.ts';
import { UserError } from '../../../base/errors/index.ts';
import { asObject, asString, type JsonObject } from '../../../base/json/index.ts';
import { version } from '../../../base/version/index.ts';
import { isEffort } from '../../../models/index.ts';
import { describeContext } from './context-report.ts';
import { listModels } from './model-list.ts';
import { describeServers } from './server-status.ts';

/** Everything that a handler may use. */
export interface RequestContext {
  readonly agent: Agent;
  readonly env: NodeJS.ProcessEnv;
  /** A program may choose the mode bypassPermissions. */
  readonly mayBypass: boolean;
  /** The model that the run began with. */
  readonly firstModel: string;
  /** The display of thinking that the run began with. */
  readonly firstDisplay: 'omitted' | 'summarized' | undefined;
  /** Prompts that were read and have not begun, by their uuid. */
  readonly queued: () => readonly string[];
  /** Delivers a message of an MCP server of the program; returns a problem. */
  readonly deliver: (server: string, message: JsonObject) => string | undefined;
}

export type RequestHandler = (body: JsonObject, context: RequestContext) => Promise<JsonObject> | JsonObject;

export const handlers: ReadonlyMap<string, RequestHandler> = new Map<string, RequestHandler>([
  ['interrupt', interrupt],
  ['set_permission_mode', setPermissionMode],
  ['set_model', setModel],
  ['set_max_thinking_tokens', setThinkingTokens],
  ['apply_flag_settings', applySettings],
  ['mcp_status', async (_, { agent }) => ({ mcpServers: describeServers(await agent.mcp()) })],
  ['mcp_message', mcpMessage],
  ['mcp_set_servers', setServers],
  ['mcp_reconnect', reconnect],
  ['mcp_toggle', toggle],
  ['rewind_files', rewindFiles],
  ['get_context_usage', contextUsage],
  ['rename_session', rename],
  ['stop_task', stopTask],
  ['list_models', () => ({ models: listModels() })],
  ['get_binary_version', () => ({ version })],
]);

function interrupt(body: JsonObject, { agent, queued }: RequestContext): JsonObject {
  if (body.cancel_queued === true)
    throw new UserError('cancel_queued is not supported', 'send interrupt without it; prompts that wait still run');
  const waiting = queued();
  agent.interrupt();
  return { still_queued: waiting };
}

async function setPermissionMode({ mode }: JsonObject, { agent, mayBypass }: RequestContext): Promise<JsonObject> {
  if (!isPermissionMode(mode))
    throw new UserError('Cannot set permission mode', `choose ${permissionModes.join(', ')}`);
  if (mode === 'bypassPermissions' && !mayBypass)
    throw new UserError(
      'Cannot set permission mode to bypassPermissions',
      'start with --allow-dangerously-skip-permissions',
    );
  await agent.setMode(mode);
  return { mode };
}

/** No model, or "default", is the one that the run began with. */
function setModel({ model }: JsonObject, { agent, firstModel }: RequestContext): JsonObject {
  const named = model === undefined || model === null || model === 'default' ? firstModel : asString(model);
  if (named === undefined || named.trim() === '') throw new UserError('the model is not a text', 'name a model');
  agent.setModel(named);
  return {};
}

/** The settings that can change while the agent runs. */
function applySettings(body: JsonObject, context: RequestContext): JsonObject {
  const settings = asObject(body.settings);
  if (settings === undefined)
    throw new UserError('apply_flag_settings needs an object "settings"', 'correct the request');
  const others = Object.keys(settings).filter((name) => name !== 'model' && name !== 'effortLevel');
  if (others.length > 0)
    throw new UserError(
      `the settings ${others.join(', ')} cannot change while the agent runs`,
      'give them with --settings when it starts',
    );
  const { effortLevel: effort } = settings;
  if (effort !== undefined && effort !== null && !isEffort(effort))
    throw new UserError(`the effort ${JSON.stringify(effort)} is not known`, 'choose low, medium, high, xhigh or max');
  if (settings.model !== undefined) setModel(settings, context);
  // Null is the default again.
  if (effort !== undefined) context.agent.setEffort(effort ?? undefined);
  return {};
}

/** 0 switches thinking off, where the model allows it; null is the default again. */
function setThinkingTokens(body: JsonObject, { agent, firstDisplay }: RequestContext): JsonObject {
  const { max_thinking_tokens: tokens, thinking_display: display = firstDisplay ?? null } = body;
  const isBudget = typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0;
  if (tokens !== null && !isBudget)
    throw new UserError(
      'max_thinking_tokens is not a whole number',
      'send 0 to switch thinking off, a budget, or null for the default',
    );
  if (display !== null && display !== 'omitted' && display !== 'summarized')
    throw new UserError(`thinking_display ${JSON.stringify(display)} is not known`, 'choose omitted or summarized');
  agent.setThinking({
    ...(tokens === null ? {} : tokens === 0 ? { kind: 'off' } : { kind: 'on', budgetTokens: Number(tokens) }),
    ...(display === null ? {} : { display }),
  });
  return {};
}

function mcpMessage(body: JsonObject, { deliver }: RequestContext): JsonObject {
  const server = asString(body.server_name);
  const message = asObject(body.message);
  if (server === undefined || message === undefined)
    throw new UserError('mcp_message needs server_name and message', 'correct the request');
  const problem = deliver(server, message);
  if (problem !== undefined) throw new UserError(problem, 'name it in sdkMcpServers of initialize');
  return {};
}

async function setServers({ servers }: JsonObject, { agent }: RequestContext): Promise<JsonObject> {
  const given = asObject(servers);
  if (given === undefined) throw new UserError('mcp_set_servers needs an object "servers"', 'correct the request');
  const { added, removed, errors } = await (await agent.mcp()).setServers(given);
  return { added, removed, errors };
}

async function reconnect({ serverName }: JsonObject, { agent }: RequestContext): Promise<JsonObject> {
  await (await agent.mcp()).reconnect(nameOf(serverName));
  return {};
}

async function toggle({ serverName, enabled }: JsonObject, { agent }: RequestContext): Promise<JsonObject> {
  if (typeof enabled !== 'boolean')
    throw new UserError('mcp_toggle needs enabled, true or false', 'correct the request');
  await (await agent.mcp()).toggle(nameOf(serverName), enabled);
  return {};
}

function nameOf(serverName: JsonObject[string]): string {
  const name = asString(serverName);
  if (name === undefined) throw new UserError('the request needs a serverName', 'correct the request');
  return name;
}

/** As the client: only if the program asked for it at the start, because a rewind deletes and replaces files. */
async function rewindFiles(body: JsonObject, { agent, env }: RequestContext): Promise<JsonObject> {
  if (!isSet(env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING))
    throw new UserError('File rewinding is not enabled', 'set enableFileCheckpointing in the options of the SDK');
  const uuid = asString(body.user_message_id)?.toLowerCase();
  const point = (await agent.rewindPoints()).find((each) => each.uuid === uuid);
  if (point === undefined)
    throw new UserError('No file checkpoint found for this message', 'name the uuid of a prompt');
  if (body.dry_run === true) {
    const { files, insertions, deletions } = await agent.previewRewind(point);
    return { canRewind: true, filesChanged: files, insertions, deletions };
  }
  const { problems } = await agent.rewind(point, 'files');
  if (problems.length === 0) return { canRewind: true, skippedLinks: 0 };
  return { canRewind: false, error: problems.join('; ') };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false';
}

/** Without a request to the API, whichever detail is asked for. */
async function contextUsage(_: JsonObject, { agent, env }: RequestContext): Promise<JsonObject> {
  return describeContext(await agent.contextUsage(), env.CLEW_AUTO_COMPACT !== '0');
}

async function rename({ title }: JsonObject, { agent }: RequestContext): Promise<JsonObject> {
  const name = asString(title)?.trim();
  if (name === undefined || name === '') throw new UserError('rename_session needs a title', 'correct the request');
  await agent.rename(name);
  return {};
}

function stopTask({ task_id: id }: JsonObject, { agent }: RequestContext): JsonObject {
  const named = asString(id);
  if (named === undefined || !agent.stopTask(named))
    throw new UserError(`there is no background task ${JSON.stringify(id ?? null)}`, 'name one of task_started');
  return {};
}
