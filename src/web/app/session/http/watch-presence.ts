// Whether a session runs, from the server: asked at the start, and again whenever its row changes.
import { type Client, keyParam, readJson, ServerFailure } from '../../../client/index.ts';
import type { Events } from '../../../wire/index.ts';
import type { Presence } from '../source/index.ts';

/** The events of the page, as far as they are needed here. */
export interface RowEvents {
  on(name: 'sessions', listener: (value: Events['sessions']) => void): () => void;
  onMissed(listener: () => void): () => void;
}

export interface PresenceWatch {
  readonly key: string;
  /** The session has another key: the address holds an id, or the beginning of one. */
  onKey(key: string): void;
  onChange(presence: Presence): void;
}

const againMs = 500;

export function watchPresence(
  { client, events }: { readonly client: Client; readonly events: RowEvents },
  { key, onKey, onChange }: PresenceWatch,
): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let last: Presence | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (presence: Presence): void => {
    last = presence;
    onChange(presence);
  };
  const ask = async (): Promise<void> => {
    timer = undefined;
    try {
      const route = client.sessions[':key'].presence;
      const { key: own, ...answer } = await readJson(route.$get({ param: keyParam(key) }, { init: { signal } }));
      if (signal.aborted) return;
      if (own !== key) onKey(own);
      else show({ ...answer, isGone: false });
    } catch (error) {
      // Without a server nothing is known; a session that was never there is not gone.
      const isGone = error instanceof ServerFailure && error.status === 404;
      if (!signal.aborted && isGone && last !== undefined) show({ ...last, isLive: false, isGone });
    }
  };
  const askSoon = (): void => {
    timer ??= setTimeout(() => void ask(), againMs);
  };
  const ends = [
    events.onMissed(askSoon),
    events.on('sessions', ({ changed, gone, isMany }) => {
      if (isMany || changed.some((row) => row.key === key)) askSoon();
      // If the archive has it, an event of the archive follows.
      else if (gone.includes(key) && last !== undefined) show({ ...last, isLive: false, isGone: true });
    }),
  ];
  void ask();
  return () => {
    ended.abort();
    clearTimeout(timer);
    for (const end of ends) end();
  };
}
