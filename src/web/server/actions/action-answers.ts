// The actions of the page: a dry run of each, and the action itself, for one session or several. One at a time, because
// two changes of one session would each be planned without the other.
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { resolveRoots } from '../../../store/index.ts';
import type { PlannedSource } from '../../../surgery/journal/index.ts';
import { newOperationId } from '../../../surgery/journal/index.ts';
import {
  type ActionDone,
  type ActionName,
  type ActionOptions,
  type ActionPreview,
  actionNamed,
  commandOf,
} from '../../wire/index.ts';
import { failureOf, Refusal, type StatusFailure } from '../protocol/index.ts';
import { prepareKeeping } from './keep-action.ts';
import { type ActionAsked, type ActionTarget, fingerprintOf, type PreparedAction } from './prepared.ts';
import { prepareStar } from './star-action.ts';
import { prepareSurgery, type SurgeryAction, surgeryActions } from './surgery-action.ts';

export interface ActionApplied extends ActionAsked {
  readonly fingerprint: string;
}

export interface BulkAsked {
  readonly action: ActionName;
  readonly options: ActionOptions;
  readonly sessions: readonly ActionTarget[];
}

export interface BulkApplied {
  readonly action: ActionName;
  readonly options: ActionOptions;
  readonly sessions: readonly (ActionTarget & { readonly fingerprint: string })[];
}

/** The server replaces paths by keys. */
export type ActionFound = Omit<ActionDone, 'to'> & { readonly to: readonly PlannedSource[] };
export type BulkAnswer<T> = readonly (({ readonly failure: null } & T) | { readonly failure: StatusFailure })[];

export interface BulkFound {
  readonly operation: string | null;
  readonly sessions: BulkAnswer<{ readonly done: ActionFound }>;
}

export class ActionAnswers {
  readonly #roots: readonly string[];
  /** The roots that a command line must name. */
  readonly #named: readonly string[];
  #last: Promise<unknown> = Promise.resolve();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
    this.#named = isDeepStrictEqual(roots, resolveRoots()) ? [] : roots;
  }

  preview(asked: ActionAsked): Promise<ActionPreview> {
    return this.#alone(() => this.#preview(asked));
  }

  apply(asked: ActionApplied): Promise<ActionFound> {
    return this.#alone(() => this.#apply(asked, undefined));
  }

  async previewMany({ sessions, ...asked }: BulkAsked): Promise<BulkAnswer<{ readonly preview: ActionPreview }>> {
    const answers: BulkAnswer<{ readonly preview: ActionPreview }>[number][] = [];
    for (const session of sessions)
      answers.push(await orFailure(async () => ({ preview: await this.preview({ ...asked, session }) })));
    return answers;
  }

  /** A session that fails does not stop the others. */
  async applyMany({ sessions, ...asked }: BulkApplied): Promise<BulkFound> {
    const group = newOperationId(new Date());
    const answers: BulkFound['sessions'][number][] = [];
    for (const { fingerprint, ...session } of sessions)
      answers.push(
        await orFailure(async () => {
          const done = await this.#alone(() => this.#apply({ ...asked, session, fingerprint }, group));
          return { done };
        }),
      );
    return { operation: answers.some(({ failure }) => failure === null) ? group : null, sessions: answers };
  }

  async #preview(asked: ActionAsked): Promise<ActionPreview> {
    const { action, options, session } = asked;
    const prepared = await this.#prepare(asked);
    const dryRun = await prepared.dryRun();
    return {
      action,
      key: session.key,
      id: session.id,
      command: commandOf(action, session, options, this.#named),
      fingerprint: fingerprintOf(asked, prepared.state),
      ...dryRun,
    };
  }

  async #apply(asked: ActionApplied, group: string | undefined): Promise<ActionFound> {
    const { action, session, fingerprint } = asked;
    const prepared = await this.#prepare(asked);
    if (fingerprintOf(asked, prepared.state) !== fingerprint)
      throw new Refusal(409, 'the session has changed since the dry run', 'look at the dry run again');
    const { operation, ...ran } = await prepared.run(group);
    if (operation === undefined) throw new Refusal(409, ran.summary, 'nothing was changed');
    return { action, key: session.key, operation, ...ran };
  }

  async #prepare(asked: ActionAsked): Promise<PreparedAction> {
    const { action, session } = asked;
    if (actionNamed(action)?.on === 'disk' && !existsSync(session.path))
      throw new Refusal(404, 'the session is not on disk', 'restore it from the archive first');
    if (action === 'star' || action === 'unstar') return prepareStar(asked);
    if (isSurgery(action)) return prepareSurgery(action, asked, this.#roots);
    return prepareKeeping(action, asked, this.#roots);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}

function isSurgery(action: ActionName): action is SurgeryAction {
  return surgeryActions.some((each) => each === action);
}

async function orFailure<T>(
  work: () => Promise<T>,
): Promise<({ readonly failure: null } & T) | { readonly failure: StatusFailure }> {
  try {
    return { failure: null, ...(await work()) };
  } catch (error) {
    const failure = failureOf(error);
    // A bug must be reported as one.
    if (failure.status === 500) throw error;
    return { failure };
  }
}
