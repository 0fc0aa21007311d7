// One example of the Agent SDK's documentation, run against the real client and against Clew on the same mock: what the
// SDK hands to the program, and what the program's callbacks saw. The SDK is a black box with typed edges.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isArray, isObject, type JsonObject } from '../../src/base/json/json.ts';
import { clientEnvironment, clientSettings } from '../../src/doctor/client-probe/client-run.ts';
import { clew } from '../support/dist.ts';
import { installPackage } from './client.ts';
import { startGateway } from './direct-api.ts';
import type { ScriptBlock, Scripts } from './mock-reply.ts';

export const sdkName = '@anthropic-ai/claude-agent-sdk';
export const sdkVersion = '0.3.325';

/** The part of the SDK that the examples use. */
export interface AgentSdk {
  query(params: { prompt: string | AsyncIterable<JsonObject>; options: Record<string, unknown> }): SdkQuery;
  createSdkMcpServer(options: Record<string, unknown>): unknown;
  tool(
    name: string,
    text: string,
    schema: unknown,
    run: (input: JsonObject) => Promise<unknown>,
    more?: unknown,
  ): unknown;
}

export interface SdkQuery extends AsyncIterable<JsonObject> {
  interrupt(): Promise<unknown>;
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: string): Promise<void>;
  supportedModels(): Promise<readonly JsonObject[]>;
  supportedCommands(): Promise<readonly JsonObject[]>;
  accountInfo(): Promise<JsonObject>;
  mcpServerStatus(): Promise<readonly JsonObject[]>;
  rewindFiles(id: string, options?: { dryRun?: boolean }): Promise<JsonObject>;
  initializationResult(): Promise<JsonObject>;
  getContextUsage(options?: { detail: string }): Promise<JsonObject>;
}

export interface Example {
  readonly scripts?: Scripts;
  readonly run: (place: ExamplePlace) => Promise<void>;
}

export interface ExamplePlace {
  readonly sdk: AgentSdk;
  /** Builds schemas for `tool`. */
  readonly z: { number(): unknown };
  readonly project: string;
  /** Runs a query to its end; the last result may be an error that the SDK throws. */
  ask(prompt: string | AsyncIterable<JsonObject>, options?: Record<string, unknown>): Promise<readonly JsonObject[]>;
  start(prompt: string | AsyncIterable<JsonObject>, options?: Record<string, unknown>): SdkQuery;
  /** Keeps a message for the comparison. */
  keep(message: JsonObject): void;
  /** Notes what a callback saw. */
  note(text: string): void;
}

export interface ExampleRun {
  readonly messages: readonly JsonObject[];
  readonly notes: readonly string[];
}

export function use(name: string, input: JsonObject): ScriptBlock {
  return { type: 'tool_use', name, input };
}

export function say(text: string): ScriptBlock {
  return { type: 'text', text };
}

export function typed(text: string, more: JsonObject = {}): JsonObject {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '', ...more };
}

/** `client`: the path of the real client. */
export async function runExample(example: Example, client: string, who: 'client' | 'clew'): Promise<ExampleRun> {
  const manifest = await installPackage(sdkName, sdkVersion, ['--omit=optional']);
  const load = createRequire(manifest);
  const sdk = (await import(load.resolve(sdkName))) as AgentSdk; // typed above
  const { z } = (await import(load.resolve('zod'))) as Pick<ExamplePlace, 'z'>;
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'clew-sdk-')));
  const [home, project] = [path.join(root, 'home'), path.join(root, 'project')];
  await mkdir(home);
  await mkdir(project);
  await writeFile(path.join(home, '.claude.json'), clientSettings(project));
  const mock = await startGateway({ scripts: example.scripts ?? {} });
  const messages: JsonObject[] = [];
  const notes: string[] = [];
  const env = { ...clientEnvironment(client, home, mock.env), CLEW_HOME: path.join(root, 'state') };
  const common = {
    cwd: project,
    env,
    pathToClaudeCodeExecutable: who === 'clew' ? clew : client,
    stderr: () => undefined,
  };
  const start: ExamplePlace['start'] = (prompt, options = {}) =>
    sdk.query({ prompt, options: { ...common, ...options } });
  const place: ExamplePlace = {
    ...{ sdk, z, project, start },
    keep: (message) => messages.push(message),
    note: (text) => notes.push(text),
    ask: async (prompt, options) => {
      const got: JsonObject[] = [];
      try {
        for await (const message of start(prompt, options)) got.push(message);
      } catch (error) {
        notes.push(`thrown: ${error instanceof Error ? error.message.replace(/:.*/s, '') : String(error)}`);
      }
      messages.push(...got);
      return got;
    },
  };
  try {
    await example.run(place);
    return { messages, notes };
  } finally {
    await mock.close();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** `assistant tool_use`, `system/init`, `result/success`. */
export function kindOf({ type, subtype, message }: JsonObject): string {
  if (typeof subtype === 'string') return `${type}/${subtype}`;
  const content = isObject(message) ? message.content : undefined;
  const blocks = isArray(content) ? content.map((block) => (isObject(block) ? block.type : '')) : [typeof content];
  return `${type} ${[...new Set(blocks)].join()}`;
}
