// A whole agent in a test: the scripted server for a model, temporary folders for everything it reads and writes.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type AgentReplacements, openAgent } from '../../src/agent/agent.ts';
import type { Agent } from '../../src/agent/contract/agent.ts';
import type { AgentEvent } from '../../src/agent/contract/event.ts';
import type { AgentOptions } from '../../src/agent/contract/options.ts';
import { type MessagesServer, startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { Script } from '../../src/api/server/script.ts';
import { asObject, type JsonObject } from '../../src/base/json/json.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';

export interface AgentKit {
  readonly agent: Agent;
  readonly server: MessagesServer;
  readonly events: AgentEvent[];
  readonly cwd: string;
  readonly root: string;
  readonly folder: string;
  /** The bodies of the requests so far. */
  bodies(): JsonObject[];
  /** The types of the events, without deltas and progress. */
  types(): string[];
}

export interface AgentKitOptions extends Partial<AgentOptions>, AgentReplacements {
  /** Below the temporary folder; `project/…` is the working directory, `claude/…` belongs to the user. */
  readonly files?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly onEvent?: (event: AgentEvent) => void | Promise<void>;
}

const key = ['test', 'key'].join('-');

export async function startAgent(t: TestContext, script: Script, options: AgentKitOptions = {}): Promise<AgentKit> {
  const { files = {}, folder = temporaryFolder(t), onEvent, streamModel, clock, ...more } = options;
  const server = await startScriptedServer({ script, apiKey: key });
  t.after(() => server.close());
  const [cwd, root] = [path.join(folder, 'project'), path.join(folder, 'claude')];
  for (const made of [cwd, root]) mkdirSync(made, { recursive: true });
  writeTree(folder, files);
  const events: AgentEvent[] = [];
  const agent = await openAgent(
    {
      cwd,
      root,
      env: agentEnv(folder, server.url),
      session: { kind: 'new' },
      model: 'claude-opus-5-5',
      mode: 'bypassPermissions',
      isInteractive: false,
      isProjectTrusted: true,
      approve: async () => ({ kind: 'deny', message: 'nobody is here to ask', isInterrupt: false }),
      askUser: async () => undefined,
      sinks: [
        async (event) => {
          events.push(event);
          await onEvent?.(event);
        },
      ],
      ...more,
    },
    { ...(streamModel === undefined ? {} : { streamModel }), ...(clock === undefined ? {} : { clock }) },
  );
  t.after(() => agent.close('exit'));
  return {
    agent,
    server,
    events,
    cwd,
    root,
    folder,
    bodies: () => server.requests.map(({ body }) => asObject(body) ?? {}),
    types: () => events.map(({ type }) => type).filter((type) => type !== 'part' && type !== 'call-progress'),
  };
}

export function agentEnv(folder: string, url: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    CLEW_HOME: path.join(folder, 'state'),
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
  };
}
