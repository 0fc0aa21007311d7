// One hook, whatever it is: a command, a URL, a question to a model, or a callback. It gets an event as JSON and
// resolves to what a command would have printed.
import type { JsonObject } from '../../base/json/index.ts';

export interface Hook {
  /** Names it in messages. */
  readonly label: string;
  /** Hooks with the same key run once per event. */
  readonly key: string;
  readonly timeoutMs: number;
  /** Runs only for calls that this permission rule matches. */
  readonly rule?: string;
  /** Runs at most once per session. */
  readonly isOnce: boolean;
  /** `late`: nothing waits for it. `wake`: exit code 2 starts a turn with its reason. */
  readonly isAsync?: 'late' | 'wake';
  /** A failure counts as exit code 2. */
  readonly blocksOnFailure: boolean;
  /** No answer counts as exit code 2: a call that a program guards must not run because that program has ended. */
  readonly blocksOnSilence?: boolean;
  run(call: HookCall): Promise<HookResult>;
}

export interface HookCall {
  readonly input: JsonObject;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called once if the hook reports, while it runs, that nothing has to wait for it. */
  readonly onAsync: (timeoutMs: number | undefined) => void;
}

export interface HookResult {
  /** `undefined` if it was killed or never started. */
  readonly exitCode: number | undefined;
  readonly ended?: 'timeout' | 'abort' | 'signal' | 'unanswered';
  /** Why it could not be started. */
  readonly problem?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
}

/** Of a hook that is not a command. */
export function printedJson(json: JsonObject): HookResult {
  return { exitCode: 0, stdout: JSON.stringify(json), stderr: '', isCut: false };
}

export function failedHook(problem: string): HookResult {
  return { exitCode: undefined, problem, stdout: '', stderr: '', isCut: false };
}

/** Runs work that is not a process, with its timeout. */
export async function withinTime(
  { signal, timeoutMs }: Pick<HookCall, 'signal' | 'timeoutMs'>,
  work: (signal: AbortSignal) => Promise<HookResult>,
): Promise<HookResult> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const either = AbortSignal.any([signal, over.signal]);
  try {
    const aborted = new Promise<undefined>((resolve) => {
      if (either.aborted) resolve(undefined);
      either.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const result = await Promise.race([
      work(either).catch((error: unknown) => failedHook(error instanceof Error ? error.message : String(error))),
      aborted,
    ]);
    if (signal.aborted) return { ...failedHook('it was interrupted'), ended: 'abort' };
    if (result === undefined || over.signal.aborted) return { ...failedHook('it took too long'), ended: 'timeout' };
    return result;
  } finally {
    clearTimeout(timer);
  }
}
