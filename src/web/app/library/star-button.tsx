// The star of a row: a click or the key `s` stars the session or takes the star away. Without permission to change anything
// the dialog of the action opens, which asks for it or shows the command.
import { createContext, type ReactNode, useCallback, useContext, useEffect } from 'react';
import { keyParam, readJson } from '../../client/index.ts';
import type { SessionRow } from '../../wire/index.ts';
import { subjectOf, useActionHost, useChanges } from '../actions/index.ts';
import { problemOf, useServices } from '../page/index.ts';

type Star = (row: SessionRow) => void;

const StarContext = createContext<Star>(() => {});

export interface StarKeyProps {
  /** The row of a key, if it is on the screen. */
  find(key: string): SessionRow | undefined;
  readonly children: ReactNode;
}

export function StarKey({ find, children }: StarKeyProps) {
  const star = useStar();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 's' || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (!(target instanceof HTMLElement) || document.querySelector('dialog[open]') !== null) return;
      if (target.closest('input:not([type="checkbox"]), textarea, select') !== null) return;
      const key = target.closest('tr')?.querySelector<HTMLElement>('[data-session]')?.dataset.session;
      const row = key === undefined ? undefined : find(key);
      if (row === undefined) return;
      event.preventDefault();
      star(row);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [star, find]);
  return <StarContext value={star}>{children}</StarContext>;
}

function useStar(): Star {
  const { client } = useServices();
  const { permission } = useChanges();
  const host = useActionHost();
  return useCallback(
    (row) => {
      const action = row.isStarred ? 'unstar' : 'star';
      if (permission !== 'allowed') {
        host.open(action, [subjectOf(row)]);
        return;
      }
      const run = async (): Promise<void> => {
        const param = { ...keyParam(row.key), action };
        const route = client.sessions[':key'].actions[':action'];
        const { fingerprint } = await readJson(route.$get({ param, query: {} }));
        const { operation, summary } = await readJson(route.$post({ param, json: { options: {}, fingerprint } }));
        host.notify({ text: summary, undoes: [operation] });
      };
      run().catch((error: unknown) => host.notify({ text: problemOf(error).message }));
    },
    [client, permission, host],
  );
}

/** The key `s` does the same, so it is not a stop of the Tab key in each of thirty rows. */
export function StarButton({ row }: { readonly row: SessionRow }) {
  const star = useContext(StarContext);
  return (
    <button
      type="button"
      className="star"
      aria-label="Star"
      aria-pressed={row.isStarred}
      tabIndex={-1}
      title={row.isStarred ? 'Remove the star (s)' : 'Star (s)'}
      onClick={() => star(row)}
    />
  );
}
