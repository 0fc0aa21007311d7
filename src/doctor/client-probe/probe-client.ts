// An installed Claude Code → which of our predictions hold for it: it resumes twenty small sessions, and what it sends
// is compared with what the rules of its version say.
import { isDeepStrictEqual } from 'node:util';
import { loadSession } from '../../session/load/session.ts';
import { checkedVersion, isNewerClient } from '../../session/resume/client/client-rules.ts';
import { type NormalMessage, normalise } from '../../session/resume/messages/normalise.ts';
import { type ResumeRequest, requestMessages } from '../../session/resume/request/request.ts';
import { type ClientOutcome, runClient } from './client-run.ts';
import { versionOfClient } from './find-client.ts';
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
