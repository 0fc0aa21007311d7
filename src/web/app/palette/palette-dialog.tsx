// The palette: pages, sessions, actions and keys by a few letters of their name. A combobox with a list, for the keyboard
// and for screen readers.
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { formatAge } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import { goTo, useServices } from '../page/index.ts';
import { Words } from '../session/text/index.ts';
import { bestMatches, stillMatching } from './match.ts';
import type { PaletteAction, PaletteProps } from './palette-props.ts';

interface Entry {
  readonly id: string;
  readonly name: string;
  /** Next to the name. */
  readonly note: string;
  run(): void;
}

interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
}

export function PaletteDialog({ keys, actions, isStored, onClose }: PaletteProps & { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const ofSession = useActions(actions);
  const sessions = useSessions(text);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const groups = useMemo(() => {
    const typed = text.trim();
    const all: readonly Group[] = [
      { name: 'This session', entries: bestMatches(typed, ofSession) },
      { name: 'Pages', entries: bestMatches(typed, isStored ? storePages : pages) },
      { name: 'Sessions', entries: sessions },
      { name: 'Keys', entries: typed === '' ? [] : bestMatches(typed, keyEntries(keys)).slice(0, maxKeys) },
      { name: 'Search', entries: typed === '' ? [] : [searchEntry(typed)] },
    ];
    return all.filter(({ entries }) => entries.length > 0);
  }, [text, ofSession, sessions, keys, isStored]);
  const flat = groups.flatMap(({ entries }) => entries);
  const current = flat[Math.min(at, flat.length - 1)];
  const optionId = (entry: Entry): string => `${listId}-${entry.id.replace(/[^\w-]/g, '_')}`;
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    dialog.current?.close();
    entry.run();
  };
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  const move = (by: number): void => setAt((Math.min(at, flat.length - 1) + by + flat.length) % flat.length);
  return (
    <dialog
      className="palette"
      ref={dialog}
      aria-label="Go to a page, a session or an action"
      onClose={onClose}
      onPointerDown={(event) => {
        if (event.target === dialog.current) dialog.current.close();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Page, session, action or key"
        aria-expanded={flat.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : optionId(current)}
        placeholder="Go to a page, a session or an action"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1);
          else if (event.key === 'ArrowUp') move(-1);
          else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(current);
          else return;
          event.preventDefault();
        }}
      />
      <div className="palette-list" id={listId} role="listbox" aria-label="Results">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not a group of a listbox
          <div key={group.name} role="group" aria-label={group.name}>
            <p className="quiet" aria-hidden="true">
              {group.name}
            </p>
            {group.entries.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
              <div
                key={entry.id}
                id={optionId(entry)}
                className="palette-entry"
                role="option"
                tabIndex={-1}
                aria-selected={entry === current}
                onPointerMove={() => setAt(flat.indexOf(entry))}
                onClick={() => run(entry)}
              >
                <span className="palette-name">
                  <Words text={entry.name} />
                </span>
                <span className="quiet palette-note">
                  <Words text={entry.note} />
                </span>
              </div>
            ))}
          </div>
        ))}
      </div>
      <output className="unseen">{flat.length === 0 ? 'Nothing found' : `${flat.length} results`}</output>
    </dialog>
  );
}

const maxKeys = 6;
const maxSessions = 8;
const waitMs = 80;

function link(name: string, address: string, note: string): Entry {
  return { id: `page ${address}`, name, note, run: () => goTo(address) };
}

const pages: readonly Entry[] = [
  link('Library', '/', 'g l'),
  link('Usage', '/usage', 'g u'),
  link('Health', '/health', 'g h'),
  link('Live', '/live', 'g v'),
  link('Live sessions', '/?only=live', 'Library'),
  link('Damaged sessions', '/?only=damaged', 'Library'),
  link('Sessions expiring soon', '/?only=expiring&sort=expires', 'Library'),
];

const storePages: readonly Entry[] = [...pages.slice(0, 2), link('People', '/people', 'g p')];

function searchEntry(typed: string): Entry {
  const name = `Search all sessions for “${typed}”`;
  return { id: 'search', name, note: '/', run: () => goTo(`/?${new URLSearchParams({ q: typed })}`) };
}

function keyEntries(keys: PaletteProps['keys']): readonly Entry[] {
  return keys
    .filter(([names]) => names.every((name) => name.length === 1))
    .map(([names, meaning]) => ({
      id: `key ${names.join(' ')}`,
      name: meaning,
      note: names.join(' '),
      run: () => press(names[0] ?? ''),
    }));
}

/** Once the dialog is closed, as if the key had been pressed on the page. */
function press(key: string): void {
  setTimeout(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })), 0);
}

function useActions(actions: PaletteProps['actions']): readonly Entry[] {
  const [known, setKnown] = useState<readonly PaletteAction[]>([]);
  // Asked once: what the page can do does not change while the palette is open.
  const asked = useRef(actions);
  useEffect(() => {
    let isShown = true;
    asked.current().then(
      (all) => isShown && setKnown(all),
      () => {}, // the palette still has the pages
    );
    return () => {
      isShown = false;
    };
  }, []);
  return useMemo(() => known.map(({ name, run }) => ({ id: `action ${name}`, name, note: '', run })), [known]);
}

/** Without a text, the sessions that were used last. */
function useSessions(text: string): readonly Entry[] {
  const { client } = useServices();
  const [found, setFound] = useState<{ readonly typed: string; readonly entries: readonly Entry[] }>(nothing);
  useEffect(() => {
    const request = new AbortController();
    const ask = async (): Promise<void> => {
      const typed = text.trim();
      const query = { limit: maxSessions, ...(typed === '' ? {} : { text: typed }) };
      const { rows } = await readJson(client.sessions.$get({ query }, { init: { signal: request.signal } }));
      const now = Date.now();
      setFound({
        typed,
        entries: rows.map(({ key, id, title, firstPrompt, project, endedAt, changedAt }) => ({
          id: `session ${key}`,
          name: title ?? firstPrompt ?? `Session ${id.slice(0, 8)}`,
          note: `${project.split(/[\\/]/).at(-1) ?? ''} · ${formatAge(endedAt ?? changedAt, now)}`,
          run: () => goTo(`/s/${encodeURIComponent(key)}`),
        })),
      });
    };
    const timer = setTimeout(() => ask().catch(() => {}), text === '' ? 0 : waitMs); // a failure leaves the last answer
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [client, text]);
  return useMemo(() => stillMatching(found.entries, found.typed, text.trim()), [found, text]);
}

const nothing = { typed: '', entries: [] };
