// Runs the hooks of an event: all hooks with a matching matcher at the same time, equal hooks once. Their verdicts are
// merged into one. A hook that nothing waits for gives its verdict later.
import type { JsonObject } from '../../base/json/index.ts';
import { type HookCallback, type HookName, type HookRunner, type HookVerdict, namesOf } from '../contract/index.ts';
import type { Hook, HookCall, HookResult } from './hook.ts';
import type { AskHookModel } from './hook-request.ts';
import { groupOfCallback, type HookGroup, readHooks } from './hook-settings.ts';
import { mergeVerdicts, readAnswer } from './verdict.ts';

export interface HookOptions {
  /** The `hooks` of the settings: event → groups. */
  readonly hooks: JsonObject;
  readonly projectDir: string;
  /** The current working directory of the shell. */
  readonly cwd: () => string;
  readonly env: NodeJS.ProcessEnv;
  /** Called for each hook that ran, in the order of the settings. */
  readonly onRan?: (ran: RanHook) => void | Promise<void>;
  /** Called with the verdict of a hook that nothing waited for. */
  readonly onLate?: (late: LateVerdict) => void;
  /** For hooks of the type `prompt`. */
  readonly ask?: AskHookModel;
  /** Whether a permission rule matches a call, for `if`. Without it no such hook runs. */
  readonly matchesRule?: (rule: string, tool: string, input: JsonObject) => boolean;
}

export interface RanHook {
  readonly event: HookName;
  readonly command: string;
  /** `tool_use_id` of the input. */
  readonly callId?: string;
  /** A message for the user. */
  readonly message?: string;
}

export interface LateVerdict {
  readonly event: HookName;
  readonly verdict: HookVerdict;
  /** It was configured to start a turn if it blocks. */
  readonly wakes: boolean;
}

export interface Hooks extends HookRunner {
  /** Hooks that will not run, for a notice. */
  readonly problems: readonly string[];
  /** Replaces the callbacks. They run next to the hooks of the settings. */
  setCallbacks(callbacks: readonly HookCallback[]): void;
  /** Whether a hook that nothing waits for still runs. */
  readonly hasLate: boolean;
  settleLate(): Promise<void>;
  /** Ends the hooks that nothing waits for. */
  close(): Promise<void>;
}

const toolEvents: ReadonlySet<HookName> = new Set<HookName>([
  ...(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'] as const),
]);

export function makeHookRunner(options: HookOptions): Hooks {
  const { groups, problems } = readHooks(options.hooks, options.ask);
  return new SettingsHooks(options, groups, problems);
}

class SettingsHooks implements Hooks {
  readonly problems: readonly string[];
  readonly #options: HookOptions;
  readonly #groups: ReadonlyMap<HookName, readonly HookGroup[]>;
  readonly #over = new AbortController();
  readonly #late = new Set<Promise<void>>();
  readonly #done = new Set<string>();
  #callbacks: ReadonlyMap<HookName, readonly HookGroup[]> = new Map();

  constructor(options: HookOptions, groups: ReadonlyMap<HookName, readonly HookGroup[]>, problems: readonly string[]) {
    this.#options = options;
    this.#groups = groups;
    this.problems = problems;
  }

  has(name: HookName): boolean {
    return this.#groups.has(name) || this.#callbacks.has(name);
  }

  setCallbacks(callbacks: readonly HookCallback[]): void {
    const byEvent = new Map<HookName, HookGroup[]>();
    for (const [i, callback] of callbacks.entries()) {
      const group = groupOfCallback(callback, i, []);
      byEvent.set(callback.event, [...(byEvent.get(callback.event) ?? []), group]);
    }
    this.#callbacks = byEvent;
  }

  async run(name: HookName, subject: string, input: JsonObject, signal: AbortSignal): Promise<HookVerdict> {
    const hooks = this.#fitting(name, subject, input);
    if (hooks.length === 0) return { context: [], messages: [] };
    for (const hook of hooks) if (hook.isOnce) this.#done.add(hook.key);
    const verdicts = await Promise.all(hooks.map((hook) => this.#runHook(name, hook, input, signal)));
    for (const [i, { label }] of hooks.entries()) await this.#options.onRan?.(ranHook(name, label, input, verdicts[i]));
    return mergeVerdicts(verdicts);
  }

  get hasLate(): boolean {
    return this.#late.size > 0;
  }

  async settleLate(): Promise<void> {
    await Promise.all(this.#late);
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.settleLate();
  }

  #fitting(name: HookName, subject: string, input: JsonObject): readonly Hook[] {
    const subjects = toolEvents.has(name) ? namesOf(subject) : [subject];
    const groups = [...(this.#groups.get(name) ?? []), ...(this.#callbacks.get(name) ?? [])];
    const fitting = groups.filter((group) => subjects.some(group.matches)).flatMap(({ hooks }) => hooks);
    return distinct(fitting).filter((hook) => !this.#done.has(hook.key) && this.#fitsRule(hook, subject, input));
  }

  /** A rule fits only calls of tools. */
  #fitsRule({ rule }: Hook, tool: string, { tool_input: input }: JsonObject): boolean {
    if (rule === undefined) return true;
    const isCall = typeof input === 'object' && input !== null && !Array.isArray(input);
    return isCall && this.#options.matchesRule?.(rule, tool, input as JsonObject) === true;
  }

  /** Resolves as soon as nothing has to wait for the hook. */
  async #runHook(name: HookName, hook: Hook, input: JsonObject, signal: AbortSignal): Promise<HookVerdict> {
    const { cwd, env, projectDir } = this.#options;
    const own = new AbortController();
    let becomeLate: () => void = () => undefined;
    const late = new Promise<undefined>((resolve) => {
      becomeLate = () => resolve(undefined);
    });
    const onAbort = (): void => own.abort();
    const attach = (to: AbortSignal): void => {
      if (to.aborted) own.abort();
      else to.addEventListener('abort', onAbort, { once: true });
    };
    const detach = (): void => {
      signal.removeEventListener('abort', onAbort);
      attach(this.#over.signal);
      becomeLate();
    };
    attach(signal);
    const call: HookCall = {
      input: { cwd: cwd(), ...input, hook_event_name: name },
      cwd: cwd(),
      env: { ...env, CLAUDE_PROJECT_DIR: projectDir },
      signal: own.signal,
      timeoutMs: hook.timeoutMs,
      onAsync: () => detach(),
    };
    const running = hook.run(call);
    if (hook.isAsync !== undefined) detach();
    const first = await Promise.race([running, late]);
    signal.removeEventListener('abort', onAbort);
    if (first !== undefined) {
      this.#over.signal.removeEventListener('abort', onAbort);
      return readAnswer(name, hook, first);
    }
    this.#follow(name, hook, running);
    return { context: [], messages: [] };
  }

  #follow(name: HookName, hook: Hook, running: Promise<HookResult>): void {
    const followed = running
      .then((result) => {
        const verdict = readAnswer(name, hook, result);
        this.#options.onLate?.({ event: name, verdict, wakes: hook.isAsync === 'wake' });
      })
      .finally(() => this.#late.delete(followed));
    this.#late.add(followed);
  }
}

/** The longest timeout if the same hook is listed twice. */
function distinct(hooks: readonly Hook[]): readonly Hook[] {
  const byKey = new Map<string, Hook>();
  for (const hook of hooks) {
    const known = byKey.get(hook.key);
    if (known === undefined || known.timeoutMs < hook.timeoutMs) byKey.set(hook.key, hook);
  }
  return [...byKey.values()];
}

function ranHook(event: HookName, command: string, input: JsonObject, verdict: HookVerdict | undefined): RanHook {
  const refused = verdict?.request?.behavior === 'deny' ? verdict.request.message : undefined;
  const message = [verdict?.blocked, refused, verdict?.stop, ...(verdict?.messages ?? [])]
    .filter((each) => each !== undefined)
    .join('\n');
  const callId = input.tool_use_id;
  return {
    event,
    command,
    ...(typeof callId === 'string' ? { callId } : {}),
    ...(message === '' ? {} : { message }),
  };
}
