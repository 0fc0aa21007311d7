// The MCP server: requests on stdin → answers on stdout. It opens nothing before the first question, ends when stdin closes,
// and no request can end it.
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { neutralise } from '../../base/text/index.ts';
import { version } from '../../base/version/index.ts';
import type { Memory, MemoryOptions } from '../answers/index.ts';
import { LineTransport } from './line-transport.ts';
import { prompts, readResource, recallPrompt, recentResources, resourceTemplates } from './resources.ts';
import { BadArguments, callTool, errorResult, isTool, textResult, toolDefinitions } from './tools.ts';

export interface ServeOptions extends MemoryOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Brings the roots up to date for the folders of the project, before each question. */
  readonly refresh?: (folders: readonly string[]) => Promise<void>;
}

/** Returns when the client has closed stdin. */
export async function serveMemory(options: ServeOptions): Promise<void> {
  const { onNotice } = options;
  const server = new Server(
    { name: 'clew', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, jsonSchemaValidator: noValidator },
  );
  const opened = new OpenedMemory(options, () => foldersOf(server));
  const logged = (error: unknown): void => onNotice?.(error instanceof Error ? error.message : String(error));
  server.onerror = logged;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolDefinitions() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { name, arguments: args, _meta: meta } = params;
    if (!isTool(name)) throw new McpError(ErrorCode.InvalidParams, 'there is no such tool');
    const toolUseId = meta?.['claudecode/toolUseId'];
    try {
      const call = typeof toolUseId === 'string' ? { toolUseId } : {};
      return textResult(await callTool(name, args, () => opened.get(), call));
    } catch (error) {
      if (error instanceof BadArguments)
        return errorResult(`MCP error ${ErrorCode.InvalidParams}: invalid arguments: ${error.message}`);
      return errorResult(messageFor(error, logged));
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: recentResources(await opened.get()),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) =>
    orError(async () => readResource(await opened.get(), params.uri), logged),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...prompts] }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    if (params.name !== 'recall') throw new McpError(ErrorCode.InvalidParams, 'there is no such prompt');
    return orError(async () => recallPrompt(await opened.get(), params.arguments ?? {}), logged);
  });
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => opened.forgetFolders());
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(new LineTransport(options.input, options.output));
  await ended;
  await opened.close();
}

/** The SDK would load a validator of JSON Schema for questions to the user, of which this server has none. */
const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'not supported' }),
};

/** Loaded and opened by the first question. */
class OpenedMemory {
  readonly #options: ServeOptions;
  readonly #foldersOf: () => Promise<readonly string[]>;
  #memory: Promise<Memory> | undefined;
  #areFoldersKnown = false;
  #folders: readonly string[] = [];

  constructor(options: ServeOptions, foldersOf: () => Promise<readonly string[]>) {
    this.#options = options;
    this.#foldersOf = foldersOf;
  }

  async get(): Promise<Memory> {
    this.#memory ??= import('../answers/index.ts').then(({ Memory }) => new Memory(this.#options));
    const memory = await this.#memory;
    if (!this.#areFoldersKnown) {
      this.#areFoldersKnown = true;
      const folders = await this.#foldersOf();
      this.#folders = folders.length > 0 ? folders : this.#options.folders;
      memory.setFolders(this.#folders);
    }
    await this.#options.refresh?.(this.#folders);
    return memory;
  }

  forgetFolders(): void {
    this.#areFoldersKnown = false;
  }

  async close(): Promise<void> {
    (await this.#memory)?.close();
  }
}

const rootsMs = 2000;
const mostRoots = 32;

/** The client's roots; none if it has none to say. */
async function foldersOf(server: Server): Promise<readonly string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  try {
    const { roots } = await server.listRoots(undefined, { timeout: rootsMs });
    return roots.slice(0, mostRoots).flatMap(({ uri }) => folderOf(uri));
  } catch {
    return []; // a client that does not answer; the working directory counts
  }
}

function folderOf(uri: string): readonly string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return [];
  }
}

async function orError<T>(work: () => Promise<T>, logged: (error: unknown) => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new McpError(ErrorCode.InvalidParams, messageFor(error, logged));
  }
}

const longestMessage = 400;

/** What the model may know of an error: nothing that was not written for a reader. */
function messageFor(error: unknown, logged: (error: unknown) => void): string {
  // Loaded with the answers, it may be another copy of the class.
  if (error instanceof Error && 'exitCode' in error) return neutralise(error.message).slice(0, longestMessage);
  logged(error);
  return 'Clew could not answer; its log on stderr says why';
}
