// The requests of an action: the dry run, the action itself, and downloads; for one session or for many.
import { type Client, keyParam, readJson, readText } from '../../../client/index.ts';
import type { ActionName, ActionOptions, ActionPreview, ExportFormat } from '../../../wire/index.ts';
import { problemOf } from '../../page/index.ts';
import type { ActionSubject } from '../subject/index.ts';

export interface Tried {
  readonly subject: ActionSubject;
  readonly preview: ActionPreview | null;
  /** Why there is no preview. */
  readonly problem: string | null;
}

export interface Ran {
  readonly done: readonly ActionSubject[];
  readonly failed: readonly { readonly subject: ActionSubject; readonly problem: string }[];
  /** To undo in this order. */
  readonly operations: readonly string[];
  /** Of the first session that was changed. */
  readonly summary: string;
  readonly to: readonly { readonly key: string; readonly id: string }[];
  readonly notes: readonly string[];
}

export interface ActionCall {
  readonly client: Client;
  readonly action: ActionName;
  readonly options: ActionOptions;
}

/** A body has at most 64 KB; a dry run of many sessions takes a while, and shows how far it is. */
const tryAtOnce = 20;
const runAtOnce = 100;

export async function tryAction(
  { client, action, options }: ActionCall,
  subjects: readonly ActionSubject[],
  signal: AbortSignal,
  onPart: (tried: readonly Tried[]) => void,
): Promise<void> {
  const [only] = subjects;
  if (only !== undefined && subjects.length === 1) {
    const param = { ...keyParam(only.key), action };
    const asked = client.sessions[':key'].actions[':action'].$get({ param, query: options }, { init: { signal } });
    onPart([{ subject: only, preview: await readJson(asked), problem: null }]);
    return;
  }
  const tried: Tried[] = [];
  for (const part of inParts(subjects, tryAtOnce)) {
    const json = { keys: part.map(({ key }) => key), options };
    const { sessions } = await readJson(
      client.actions[':action'].preview.$post({ param: { action }, json }, { init: { signal } }),
    );
    for (const [i, subject] of part.entries()) {
      const answer = sessions[i];
      if (answer === undefined) continue;
      if (answer.failure === null) tried.push({ subject, preview: answer.preview, problem: null });
      else tried.push({ subject, preview: null, problem: problemText(answer.failure.error, answer.failure.next) });
    }
    onPart([...tried]);
  }
}

export async function runAction(call: ActionCall, tried: readonly Tried[]): Promise<Ran> {
  const { client, action, options } = call;
  const [only] = tried;
  if (tried.length === 1 && only?.preview != null) {
    const { subject, preview } = only;
    const param = { ...keyParam(subject.key), action };
    const json = { options, fingerprint: preview.fingerprint };
    const done = await readJson(client.sessions[':key'].actions[':action'].$post({ param, json }));
    const { operation, summary, to, notes } = done;
    return { done: [subject], failed: [], operations: [operation], summary, to, notes };
  }
  const ready = tried.filter((each) => each.preview !== null && !each.preview.isNoop);
  const [done, failed]: [ActionSubject[], { subject: ActionSubject; problem: string }[]] = [[], []];
  const operations: string[] = [];
  let summary = '';
  for (const part of inParts(ready, runAtOnce)) {
    const sessions = part.map(({ subject, preview }) => ({
      key: subject.key,
      fingerprint: preview?.fingerprint ?? '',
    }));
    const answer = await readJson(client.actions[':action'].$post({ param: { action }, json: { options, sessions } }));
    if (answer.operation !== null) operations.unshift(answer.operation);
    for (const [i, { subject }] of part.entries()) {
      const each = answer.sessions[i];
      if (each === undefined) continue;
      if (each.failure === null) {
        done.push(subject);
        summary ||= each.done.summary;
      } else failed.push({ subject, problem: problemText(each.failure.error, each.failure.next) });
    }
  }
  return { done, failed, operations, summary, to: [], notes: [] };
}

export async function download(client: Client, subject: ActionSubject, format: ExportFormat): Promise<void> {
  const text = await readText(client.sessions[':key'].export.$get({ param: keyParam(subject.key), query: { format } }));
  const types = { md: 'text/markdown', html: 'text/html', json: 'application/json' } as const;
  const url = URL.createObjectURL(new Blob([text], { type: types[format] }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${subject.id.replace(/[^\w-]/g, '_').slice(0, 80)}.${format}`;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function failureText(error: unknown): string {
  const { message, next } = problemOf(error);
  return problemText(message, next);
}

function problemText(message: string, next: string): string {
  return next === '' ? message : `${message}; ${next}`;
}

function inParts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}
