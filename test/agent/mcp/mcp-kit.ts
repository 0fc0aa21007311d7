// Connecting in tests: a folder, short ways to name the test servers, calls of their tools; everything is closed at the end.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CallContext, CallProgress, ToolOutcome } from '../../../src/agent/contract/tool.ts';
import { type ConnectOptions, connectServers, type McpServers } from '../../../src/agent/mcp/servers.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

export const sample = (...args: readonly string[]): JsonObject => program('stdio-main.js', args);
/** The same with the official SDK. */
export const sdkSample = (): JsonObject => program('sdk-main.js', []);
export const rude = (mode: string): JsonObject => program('rude-main.js', [mode]);

export function fixture(file: string): string {
  return path.join(here, file);
}

export function program(file: string, args: readonly string[] = []): JsonObject {
  return { command: process.execPath, args: [fixture(file), ...args] };
}

/** Servers given by flag need no approval. */
export async function connect(
  context: TestContext,
  servers: Readonly<Record<string, JsonObject>>,
  more: Partial<ConnectOptions> = {},
): Promise<McpServers> {
  const options = { ...optionsIn(temporaryFolder(context)), flags: [JSON.stringify({ mcpServers: servers })], ...more };
  const connected = await connectServers(options);
  context.after(() => connected.close());
  return connected;
}

export function optionsIn(top: string): ConnectOptions {
  const cwd = path.join(top, 'app');
  mkdirSync(cwd, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: top };
  return {
    cwd,
    env,
    userConfigFile: path.join(top, '.claude.json'),
    settings: [],
    isProjectTrusted: true,
    graceMs: 300,
  };
}

export async function callTool(
  servers: McpServers,
  name: string,
  input: JsonObject = {},
  more: {
    readonly signal?: AbortSignal;
    readonly progress?: (update: CallProgress) => void;
    /** Where long results are saved; without it nothing can be saved. */
    readonly sessionDir?: string;
  } = {},
): Promise<ToolOutcome> {
  const tool = servers.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name} among ${servers.tools.map((each) => each.name)}`);
  const { signal = new AbortController().signal, progress = () => undefined, sessionDir = '/dev/null/none' } = more;
  return tool.run(input, { signal, progress, workspace: { sessionDir } } as unknown as CallContext); // a server's tool asks for nothing else
}

/** The `environment` tool of the sample server says which process it is. */
export function serverPid(content: unknown): number {
  return Number(/\\?"pid\\?":(\d+)/.exec(JSON.stringify(content).replaceAll('\\', ''))?.[1]);
}
