// One run of an installed Claude Code on one session: in a temporary home and folder, with an environment that holds
// nothing of the user's, against an API that we serve on loopback. The client is a black box: we read what it sends.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { startMessagesServer } from '../../api/server/index.ts';
import { isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { startGuarded } from '../../base/process/index.ts';
import type { SentMessage } from '../../session/resume/messages/index.ts';
import { encodeSlug } from '../../store/index.ts';

/** What a client did when it was asked to resume a session. */
export type ClientOutcome =
  /** The messages of the first request that offers tools. */
  | { readonly messages: readonly SentMessage[] }
  /** It ended without such a request. */
  | { readonly refused: string }
  | { readonly late: true };

export interface ClientRunOptions {
  /** The program. */
  readonly client: string;
  readonly sessionId: string;
  /** The text of the transcript. */
  readonly transcript: string;
  readonly prompt: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with the path of the transcript before the client starts. */
  readonly prepare?: (file: string) => Promise<void>;
}

/** Lets the client resume a session. Everything it had is removed afterwards. */
export async function runClient(options: ClientRunOptions): Promise<ClientOutcome> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'clew-client-')));
  const [home, workspace] = [path.join(root, 'home'), path.join(root, 'project')];
  const folder = path.join(home, '.claude/projects', encodeSlug(workspace));
  const file = path.join(folder, `${options.sessionId}.jsonl`);
  try {
    await mkdir(folder, { recursive: true });
    await mkdir(workspace);
    await writeFile(file, options.transcript);
    await writeFile(path.join(home, '.claude.json'), clientSettings(workspace));
    await options.prepare?.(file);
    return await resume(options, home, workspace);
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function resume(options: ClientRunOptions, home: string, workspace: string): Promise<ClientOutcome> {
  const { client, sessionId, prompt, timeoutMs, signal } = options;
  let tellSent = (_: ClientOutcome): void => {};
  const sent = new Promise<ClientOutcome>((resolve) => {
    tellSent = resolve;
  });
  const server = await startMessagesServer(() => ({ blocks: [{ type: 'text', text: 'ok' }] }), {
    rules: 'ignore',
    onRequest: ({ path: asked, body }) => {
      const messages = asked === '/v1/messages' ? mainMessages(body) : undefined;
      if (messages !== undefined) tellSent({ messages });
    },
  });
  try {
    const args = ['--resume', sessionId, '-p', prompt, '--output-format', 'json'];
    const env = clientEnvironment(client, home, {
      ANTHROPIC_BASE_URL: server.url,
      // Whatever else it asks for goes to the same server, which knows no other address.
      HTTPS_PROXY: server.url,
      HTTP_PROXY: server.url,
      NO_PROXY: '127.0.0.1',
    });
    return await runToEnd({ client, args, cwd: workspace, env, timeoutMs, signal }, sent);
  } finally {
    await server.close();
  }
}

interface Started {
  readonly client: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs the client until it has sent what we wait for, ends, or takes too long; then its whole process group is gone. */
async function runToEnd(started: Started, sent: Promise<ClientOutcome>): Promise<ClientOutcome> {
  const { client, args, cwd, env, timeoutMs, signal } = started;
  signal.throwIfAborted();
  const guarded = startGuarded(client, args, { cwd, env });
  guarded.stdin.on('error', () => undefined);
  guarded.stdin.end();
  const closed = new Promise<number | null>((resolve, reject) => {
    guarded.child.once('error', reject);
    guarded.child.once('exit', resolve); // `close` would wait for the watcher, which ends with us
  });
  const output = Promise.all([readText(guarded.stdout), readText(guarded.stderr)]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ClientOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ late: true }), timeoutMs);
  });
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  stopped.catch(() => undefined); // it may be that nobody waits for it any more
  signal.addEventListener('abort', stop);
  const ended = closed.then(async (code): Promise<ClientOutcome> => {
    const [stdout, stderr] = await output;
    return { refused: shortened(stderr) || shortened(stdout) || `it ended with exit code ${code}` };
  });
  try {
    return await Promise.race([sent, ended, late, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    guarded.signal('SIGKILL');
    await ended.catch(() => undefined);
    guarded.release();
  }
}

/** A crash of the client prints its packed source as one enormous line. */
function shortened(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.length < 400)
    .join(' ')
    .trim();
}

/** What a client must find in `~/.claude.json` to begin without questions. */
export function clientSettings(workspace: string): string {
  return JSON.stringify({
    hasCompletedOnboarding: true,
    autoUpdates: false,
    projects: { [workspace]: { hasTrustDialogAccepted: true, allowedTools: [] } },
  });
}

/** All that the client's environment holds: nothing of the user's, no key, no way out but the API it is given. */
export function clientEnvironment(
  client: string,
  home: string,
  api: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  return {
    PATH: clientPath(client),
    HOME: home,
    USER: 'dev',
    SHELL: '/bin/bash',
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    IS_SANDBOX: '1',
    ...api,
    ANTHROPIC_API_KEY: 'dummy-key',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  };
}

/** The client may be a script for `node`, which often lies next to it. */
export function clientPath(client: string): string {
  return [path.dirname(client), path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(
    path.delimiter,
  );
}

/** The client asks for other things too (titles, counts); the conversation is what offers tools. */
export function mainMessages(body: JsonValue | undefined): readonly SentMessage[] | undefined {
  if (!isObject(body) || !isArray(body.tools) || body.tools.length === 0 || !isArray(body.messages)) return undefined;
  return body.messages as unknown as readonly SentMessage[]; // the API's own schema
}
