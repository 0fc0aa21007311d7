// A program that drives Clew over the control protocol, in a test: the real host session and the real agent, pipes in
// memory, a scripted model on loopback. The program answers as the test says.
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import type { TurnEnded } from '../../src/agent/contract/event.ts';
import type { Script } from '../../src/api/server/script.ts';
import { asObject, asString, isObject, type JsonObject } from '../../src/base/json/json.ts';
import { HostSession } from '../../src/cli/headless/control/host-session.ts';
import { type AgentKit, type AgentKitOptions, startAgent } from './agent-kit.ts';
import { waitFor } from './wait.ts';

/** The answer to a request; an error becomes an error response; with `undefined` the request gets no answer. */
export type HostAnswer = (request: JsonObject) => JsonObject | Error | undefined;

export interface FakeHostOptions {
  /** By subtype. A request without an answer fails the test. */
  readonly answers?: Readonly<Record<string, HostAnswer>>;
  readonly permissionTool?: string;
  readonly mayBypass?: boolean;
  readonly thinkingDisplay?: 'omitted' | 'summarized';
  readonly env?: NodeJS.ProcessEnv;
  readonly agent?: AgentKitOptions;
}

export interface FakeHost {
  /** Everything that Clew wrote, in order. */
  readonly written: readonly JsonObject[];
  readonly warnings: readonly string[];
  readonly turns: readonly TurnEnded[];
  /** The requests of Clew with this subtype. */
  asked(subtype: string): readonly JsonObject[];
  kit(): AgentKit;
  send(message: JsonObject | string): void;
  /** Sends a request and resolves to `response`, or to the error as a text. */
  request(subtype: string, body?: JsonObject): Promise<JsonObject | string>;
  /** Sends a prompt and waits for the end of its turn. */
  prompt(text: string, more?: JsonObject): Promise<TurnEnded>;
  /** Closes stdin and waits until the prompts have ended. */
  end(): Promise<unknown>;
}

export function startHost(t: TestContext, script: Script, options: FakeHostOptions = {}): FakeHost {
  const { answers = {}, permissionTool, mayBypass = false, thinkingDisplay, env = {} } = options;
  const stdin = new PassThrough();
  const written: JsonObject[] = [];
  const warnings: string[] = [];
  const turns: TurnEnded[] = [];
  const stop = new AbortController();
  let kit: AgentKit | undefined;
  const send = (message: JsonObject | string): void => {
    stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  };
  const session = new HostSession({
    stdin,
    signal: stop.signal,
    env,
    cwd: () => kit?.cwd ?? '',
    ...(thinkingDisplay === undefined ? {} : { thinkingDisplay }),
    permissionTool,
    mayBypass,
    warn: (text) => warnings.push(text),
    forwardAgentText: () => undefined,
    write: async (message) => {
      written.push(message);
      if (message.type === 'control_request') answer(message, answers, send);
    },
    open: async (given) => {
      kit = await startAgent(t, script, {
        mode: 'default',
        ...given,
        onEvent: (event) => {
          if (event.type === 'prompt') session.hasBegun(event.uuid);
        },
        ...options.agent,
      });
      return kit.agent;
    },
  });
  const running = (async () => {
    for await (const { content, uuid } of session.prompts()) {
      const agent = await session.agent();
      turns.push(await agent.prompt(content, uuid === undefined ? {} : { uuid }));
    }
  })();
  running.catch(() => undefined);
  t.after(() => {
    stop.abort();
    stdin.end();
  });
  let number = 0;
  return {
    written,
    warnings,
    turns,
    asked: (subtype) => requestsIn(written).filter((request) => request.subtype === subtype),
    kit: () => {
      if (kit === undefined) throw new Error('the agent is not open yet');
      return kit;
    },
    send,
    request: async (subtype, body = {}) => {
      const id = `test-${++number}`;
      send({ type: 'control_request', request_id: id, request: { subtype, ...body } });
      const response = await waitFor(() => responseTo(written, id));
      return response.subtype === 'error' ? (asString(response.error) ?? '') : (asObject(response.response) ?? {});
    },
    prompt: async (text, more = {}) => {
      const before = turns.length;
      send({ type: 'user', message: { role: 'user', content: text }, ...more });
      return waitFor(
        () => turns[before],
        () => JSON.stringify(written).slice(-3000),
      );
    },
    end: () => {
      stdin.end();
      return running.then(
        () => undefined,
        (error: unknown) => error,
      );
    },
  };
}

function answer(
  { request_id, request }: JsonObject,
  answers: Readonly<Record<string, HostAnswer>>,
  send: (message: JsonObject) => void,
): void {
  const body = asObject(request) ?? {};
  const given = answers[String(body.subtype)];
  if (given === undefined) throw new Error(`nobody answers ${body.subtype}`);
  const reply = given(body);
  if (reply === undefined) return;
  const response =
    reply instanceof Error
      ? { subtype: 'error', request_id: request_id ?? null, error: reply.message }
      : { subtype: 'success', request_id: request_id ?? null, response: reply };
  setImmediate(() => send({ type: 'control_response', response }));
}

function requestsIn(written: readonly JsonObject[]): readonly JsonObject[] {
  return written.flatMap(({ type, request }) => (type === 'control_request' && isObject(request) ? [request] : []));
}

function responseTo(written: readonly JsonObject[], id: string): JsonObject | undefined {
  return written
    .flatMap(({ type, response }) => (type === 'control_response' && isObject(response) ? [response] : []))
    .find(({ request_id }) => request_id === id);
}
