// An installed Claude Code → which of our predictions hold for it: it resumes twenty small sessions, and what it sends
// is compared with what the rules of its version say.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { UserError } from '../../base/errors/index.ts';
import { findProgram, isProgram } from '../../base/process/index.ts';
import { loadSession } from '../../session/load/index.ts';
import { checkedVersion, isNewerClient } from '../../session/resume/client/index.ts';
import { type NormalMessage, normalise } from '../../session/resume/messages/index.ts';
import { type ResumeRequest, requestMessages } from '../../session/resume/request/index.ts';
import { type ClientOutcome, clientEnvironment, runClient } from './client-run.ts';
import { probeSessionId } from './probe-lines.ts';
import { type ProbeSession, probeSessions } from './probe-sessions.ts';

export interface ProbeResult {
  readonly name: string;
  readonly rule: string;
  /** What the client does instead; `undefined` where the prediction holds. */
  readonly difference: string | undefined;
}

export interface ProbeReport {
  readonly path: string;
  readonly version: string;
  /** Newer than the newest client known: the rules of that one were used. */
  readonly isNewer: boolean;
  readonly results: readonly ProbeResult[];
}

export interface ProbeOptions {
  readonly signal: AbortSignal;
  /** For one session; 30 seconds if not given. */
  readonly timeoutMs?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

const prompt = 'next';

/** Tries the client at `path` on all sessions, two at a time. */
export async function probeClient(path: string, options: ProbeOptions): Promise<ProbeReport> {
  const version = checkedVersion(await versionOfClient(path, options.signal));
  const sessions = probeSessions();
  const results: ProbeResult[] = [];
  let [next, done] = [0, 0];
  const work = async (): Promise<void> => {
    for (let at = next++; at < sessions.length; at = next++) {
      const { name, rule, transcript } = sessions[at] as ProbeSession; // `at` is below the length
      results[at] = { name, rule, difference: await differenceOf(path, version, transcript, options) };
      options.onProgress?.(++done, sessions.length);
    }
  };
  await Promise.all([work(), work()]);
  return { path, version, isNewer: isNewerClient(version), results };
}

async function differenceOf(
  client: string,
  version: string,
  transcript: string,
  { signal, timeoutMs = 30_000 }: ProbeOptions,
): Promise<string | undefined> {
  let predicted: ResumeRequest | undefined;
  const prepare = async (file: string): Promise<void> => {
    predicted = requestMessages(await loadSession(file), prompt, { host: 'gateway', client: version });
  };
  const outcome = await runClient({
    client,
    sessionId: probeSessionId,
    transcript,
    prompt,
    timeoutMs,
    signal,
    prepare,
  });
  if (predicted === undefined) throw new Error('the session was not predicted');
  return compare(outcome, predicted, timeoutMs);
}

function compare(outcome: ClientOutcome, predicted: ResumeRequest, timeoutMs: number): string | undefined {
  if ('late' in outcome) return `the client sent nothing within ${timeoutMs / 1000} seconds`;
  if ('refused' in outcome) {
    return 'refused' in predicted ? undefined : `the client does not resume it: ${outcome.refused.slice(0, 200)}`;
  }
  const sent = normalise(outcome.messages);
  if ('refused' in predicted) return `the client sends ${sent.length} messages, and none were predicted`;
  const expected = normalise(predicted.messages);
  if (isDeepStrictEqual(sent, expected)) return undefined;
  const found = sent.findIndex((message, i) => !isDeepStrictEqual(message, expected[i]));
  const at = found < 0 ? sent.length : found;
  return `message ${at + 1} is ${outline(sent[at])}, not ${outline(expected[at])}`;
}

/** A message in a few words. */
function outline(message: NormalMessage | undefined): string {
  if (message === undefined) return 'nothing';
  const blocks = message.content.map(({ type, text, id, tool_use_id }) =>
    type === 'text' ? JSON.stringify(String(text).slice(0, 60)) : [type, id ?? tool_use_id ?? []].flat().join(' '),
  );
  return `${message.role} [${blocks.join(', ')}]`;
}

/** The program at `named`, or the first `claude` in the PATH. Throws where there is none. */
export function findClient(named: string | undefined, env: NodeJS.ProcessEnv, cwd: string): string {
  if (named !== undefined) {
    const program = path.resolve(cwd, named);
    if (isProgram(program)) return program;
    throw new UserError(`${named} is not a program`, 'give the path of the `claude` to try');
  }
  const found = findProgram('claude', env);
  if (found === undefined) {
    throw new UserError('there is no `claude` in the PATH', 'install Claude Code, or write --client FILE');
  }
  return found;
}

const versionMs = 30_000;

/** What `claude --version` says: the first three numbers with points between. */
async function versionOfClient(client: string, signal: AbortSignal): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'clew-client-'));
  try {
    const options = { env: clientEnvironment(client, home, {}), cwd: home, signal, timeout: versionMs };
    const { stdout } = await promisify(execFile)(client, ['--version'], options);
    const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
    if (version !== undefined) return version;
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
  throw new UserError(`${client} does not say its version`, 'run it with --version to see why');
}
