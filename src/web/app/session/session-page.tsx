// The session page: the outline of turns next to the conversation, and above both what the session is. It keeps the
// address up to date with the place on the screen, so that the address is always a link to it.
import { type ComponentType, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FindHit, Place, SessionHead, TurnRow } from '../../../export/wire/index.ts';
import { KeyHelp, type KeyMeaning } from '../keys/index.ts';
import { Conversation, type ConversationHandle } from './conversation.tsx';
import { FindBar } from './find-bar.tsx';
import { documentTitle, formatTime } from './format/index.ts';
import { FileNotices, usePresence } from './live/index.ts';
import { Outline } from './outline.tsx';
import { Paper } from './print-page.tsx';
import { RawDrawer } from './raw-drawer.tsx';
import { SessionHeader } from './session-header.tsx';
import type { SidePanelProps } from './side/index.ts';
import {
  ActionsContext,
  type FoldAll,
  LiveContext,
  type PageActions,
  type SessionAddress,
  type SessionSource,
  type SimilarSession,
  SourceContext,
  type TargetLine,
  useActions,
  type ViewFilter,
} from './source/index.ts';
import { Words } from './text/index.ts';
import { useChosenTurn } from './use-chosen-turn.ts';
import { type LoadedSession, rowOfPart, useSession } from './use-session.ts';
import { useSide } from './use-side.ts';
import { findStep, type StepKind, type StepPlace, ViewContexts } from './view/index.ts';

export interface SessionPageProps {
  readonly source: SessionSource;
  /** Absent in an exported file. */
  readonly SidePanel?: ComponentType<SidePanelProps>;
}

export function SessionPage({ source, SidePanel }: SessionPageProps) {
  const [start] = useState(() => source.startPlace());
  const [branch, setBranch] = useState(start.branch ?? 1);
  const [toast, setToast] = useState('');
  const [raw, setRaw] = useState<{ readonly source: SessionSource; readonly place: Place } | null>(null);
  const mayStart = start.line === null && start.turn === null && start.at === null;
  const { session, problem, agentVersions, replacements } = useSession(source, branch, mayStart);
  const [folds] = useState(() => new Map<string, boolean>());
  const actions = useMemo<PageActions>(
    () => ({
      folds,
      showRaw: (of, place) => setRaw({ source: of, place }),
      showBranch: (number) => {
        history.pushState(null, '', source.addressOf({ branch: number }));
        setBranch(number);
      },
      notify: setToast,
      copy: (text, what) =>
        void copyText(text).then((done) => setToast(done ? `${what} copied` : `${what} could not be copied`)),
      linkTo: (line, agentId) => new URL(source.addressOf({ branch, line, agentId }), location.href).href,
    }),
    [folds, source, branch],
  );
  // Blocks of the file as it was before have the same names.
  useEffect(() => {
    if (replacements > 0) folds.clear();
  }, [folds, replacements]);
  useEffect(() => {
    if (toast === '') return;
    const timer = setTimeout(() => setToast(''), 2_500);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <ActionsContext value={actions}>
      <SourceContext value={source}>
        <LiveContext value={agentVersions}>
          {problem !== null ? (
            <main className="message-page" id="conversation">
              <h1>This session cannot be shown</h1>
              <p>
                <Words text={problem} />
              </p>
              <SimilarSessions source={source} />
              {source.exported === null ? (
                <p>
                  <a href="/">All sessions</a>
                </p>
              ) : null}
            </main>
          ) : session === null ? (
            <main className="message-page" id="conversation" aria-busy="true">
              <p className="quiet">Opening the session…</p>
            </main>
          ) : (
            <Reader
              source={source}
              session={session}
              start={start}
              replacements={replacements}
              onBranch={setBranch}
              SidePanel={SidePanel}
            />
          )}
          {session === null ? null : <Paper source={source} head={session.head} />}
          {raw === null ? null : <RawDrawer source={raw.source} place={raw.place} onClose={() => setRaw(null)} />}
          <output className="toast" aria-live="polite">
            {toast}
          </output>
        </LiveContext>
      </SourceContext>
    </ActionsContext>
  );
}

async function copyText(text: string | Promise<string>): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(await text);
    return true;
  } catch {
    return false; // refused by the browser, or by the server that was to write it
  }
}

interface ReaderProps {
  readonly source: SessionSource;
  readonly session: LoadedSession;
  readonly start: SessionAddress;
  readonly SidePanel: ComponentType<SidePanelProps> | undefined;
  readonly replacements: number;
  onBranch(branch: number): void;
}

function Reader({ source, session, start, SidePanel, replacements, onBranch }: ReaderProps) {
  const side = useSide();
  const { head, store, isWhole } = session;
  const handle = useRef<ConversationHandle>(null);
  const [part, setPart] = useState(0);
  const [target, setTarget] = useState<TargetLine | null>(null);
  const [targetPart, setTargetPart] = useState<number | null>(null);
  const [filter, setFilter] = useState(start.filter);
  const [foldAll, setFoldAll] = useState<FoldAll>({ version: 0, isOpen: null });
  const { folds } = useActions();
  const presence = usePresence(source);
  const [dismissed, setDismissed] = useState(0);
  const [isFinding, setFinding] = useState(false);
  const [hasHelp, setHelp] = useState(false);
  const [hasOutline, setOutline] = useState(() => matchMedia('(min-width: 900px)').matches);
  const row = rowOfPart(head.turns, part);
  const { chosen, choose } = useChosenTurn(start.turn);
  const isKnown = chosen !== null && head.turns.some(({ index }) => index === chosen);
  const current = isKnown ? chosen : (row?.index ?? 0);

  const goToTurn = useCallback(
    (to: TurnRow): void => {
      choose(to.index);
      setTarget(null);
      // A turn that the view hides is shown because it was chosen.
      setTargetPart(to.firstPart);
      handle.current?.goTo({ part: to.firstPart });
      if (!matchMedia('(min-width: 900px)').matches) setOutline(false);
    },
    [choose],
  );
  const goToLine = useCallback(
    (to: number, line: TargetLine): void => {
      choose(null);
      setTarget(line);
      setTargetPart(to);
      handle.current?.goTo({ part: to, line });
    },
    [choose],
  );
  useStart({ source, head, start, handle, goToLine, onBranch });
  useAddress(source, head, current, filter);
  useEffect(() => {
    document.title = documentTitle(head.title ?? 'Untitled session');
  }, [head.title]);
  const step = (by: number): void => {
    const next = head.turns[current - (head.turns[0]?.index ?? 1) + by];
    if (next !== undefined) goToTurn(next);
  };
  const changeFilter = (next: ViewFilter): void => {
    setTarget(null);
    setTargetPart(null);
    setFilter(next);
    history.replaceState(null, '', source.addressOf({ branch: head.branch, turn: current, filter: next }));
    // The place stays: the turn on the screen, or the one before it.
    if (row !== undefined) requestAnimationFrame(() => handle.current?.goTo({ part }));
  };
  const changeFolds = (isOpen: boolean): void => {
    folds.clear();
    setTarget(null);
    setFoldAll(({ version }) => ({ version: version + 1, isOpen }));
  };
  const stepTo = useSteps(source, session, handle, goToLine);
  const keys = {
    e: () => stepTo('error', 1),
    E: () => stepTo('error', -1),
    c: () => stepTo('call', 1),
    C: () => stepTo('call', -1),
    x: () => stepTo('compaction', 1),
    X: () => stepTo('compaction', -1),
    j: () => step(1),
    k: () => step(!isKnown && row !== undefined && part > row.firstPart ? 0 : -1),
    g: () => handle.current?.goTo({ part: 0 }),
    G: () => handle.current?.goToEnd(),
    '/': () => setFinding(true),
    o: () => setOutline(!hasOutline),
    i: () => side.setOpen(!side.isOpen),
    '?': () => setHelp(true),
    Escape: () => setFinding(false),
  };
  useKeys(keys);
  const onHit = useCallback((hit: FindHit) => goToLine(hit.part, { line: hit.line, agentId: null }), [goToLine]);
  return (
    <ViewContexts target={target} filter={filter} foldAll={foldAll}>
      <div className={`session ${hasOutline ? 'with-outline' : ''}`}>
        {source.exported === null ? null : (
          <a className="skip" href="#conversation">
            To the conversation
          </a>
        )}
        <SessionHeader
          head={head}
          isWhole={isWhole}
          onFind={() => setFinding(true)}
          onOutline={() => setOutline(!hasOutline)}
          onHelp={() => setHelp(true)}
          {...(SidePanel === undefined ? {} : { side })}
          presence={presence}
          view={{ head, filter, onFilter: changeFilter, onFoldAll: changeFolds }}
        >
          <FileNotices
            head={head}
            isGone={presence?.isGone === true}
            isArchived={presence !== null && !presence.isGone && !presence.isOnDisk}
            isReplaced={replacements > dismissed}
            onDismiss={() => setDismissed(replacements)}
          />
        </SessionHeader>
        {isFinding ? (
          <FindBar source={source} branch={head.branch} onHit={onHit} onClose={() => setFinding(false)} />
        ) : null}
        <nav className="outline" aria-label="Turns" hidden={!hasOutline}>
          {isWhole ? null : <p className="outline-note quiet">Reading the rest…</p>}
          <Outline head={head} current={current} onTurn={goToTurn} />
        </nav>
        <Conversation
          head={head}
          store={store}
          isWhole={isWhole}
          filter={filter}
          target={targetPart}
          presence={presence}
          handle={handle}
          onPlace={setPart}
        />
        {SidePanel === undefined || source.side === undefined || !side.isOpen ? null : (
          <Suspense>
            <SidePanel
              source={source}
              side={source.side}
              head={head}
              current={isWhole ? current : 0}
              goToLine={goToLine}
              onClose={() => side.setOpen(false)}
            />
          </Suspense>
        )}
      </div>
      {hasHelp ? <Help onClose={() => setHelp(false)} /> : null}
    </ViewContexts>
  );
}

/** Goes to the next error, call or compaction, from the one it went to last, or from what is on the screen. */
function useSteps(
  source: SessionSource,
  { head, store }: LoadedSession,
  handle: React.RefObject<ConversationHandle | null>,
  goToLine: (part: number, line: TargetLine) => void,
): (kind: StepKind, by: 1 | -1) => void {
  const last = useRef<StepPlace | null>(null);
  const { notify } = useActions();
  useEffect(() => {
    // After the user scrolled, the screen says where to continue.
    const forget = (): void => {
      last.current = null;
    };
    const events = ['wheel', 'touchmove', 'pointerdown'] as const;
    for (const event of events) document.addEventListener(event, forget, { passive: true, capture: true });
    return () => {
      for (const event of events) document.removeEventListener(event, forget, { capture: true });
    };
  }, []);
  return (kind, by) => {
    const from = last.current ?? handle.current?.placeOnScreen() ?? { part: 0, line: null };
    const load = async (part: number) =>
      store.get(part) ?? (await source.parts(head.branch, part, part + 1)).find((view) => view.part === part);
    findStep(head, load, { kind, by, from }).then(
      (place) => {
        if (place === undefined) {
          notify(`No ${by === 1 ? 'later' : 'earlier'} ${kind}`);
          return;
        }
        last.current = place;
        goToLine(place.part, { line: place.line, agentId: null });
      },
      () => notify(`The next ${kind} could not be loaded`),
    );
  };
}

function SimilarSessions({ source }: { readonly source: SessionSource }) {
  const [sessions, setSessions] = useState<readonly SimilarSession[]>([]);
  useEffect(() => {
    let isOpen = true;
    source.similar?.().then(
      (found) => {
        if (isOpen) setSessions(found);
      },
      () => {}, // the page says already that there is no such session
    );
    return () => {
      isOpen = false;
    };
  }, [source]);
  if (sessions.length === 0) return null;
  return (
    <ul className="similar-sessions" aria-label="Sessions with this beginning">
      {sessions.map(({ key, title, project, changedAt }) => (
        <li key={key}>
          <a href={`/s/${encodeURIComponent(key)}`} data-stop="">
            <Words text={title} />
          </a>{' '}
          <span className="quiet">
            <Words text={`${key.slice(0, 13)} · ${project} · ${formatTime(changedAt)}`} />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface StartOptions {
  readonly source: SessionSource;
  readonly head: SessionHead;
  readonly start: SessionAddress;
  readonly handle: React.RefObject<ConversationHandle | null>;
  goToLine(part: number, line: TargetLine): void;
  onBranch(branch: number): void;
}

/** Goes to the place that the address names, once. */
function useStart({ source, head, start, handle, goToLine, onBranch }: StartOptions): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const { line, turn, agentId, at } = start;
    if (line !== null) {
      const lines = agentId === null ? source : source.ofAgent(agentId);
      lines.place(line).then(
        ({ branch, part, under }) => {
          const shown = agentId === null ? { branch, part } : under;
          if (shown === null || shown.part === null) return;
          // On another branch the page is mounted again, and comes here again.
          if (shown.branch !== head.branch) onBranch(shown.branch);
          else goToLine(shown.part, { line, agentId });
        },
        () => {}, // the line is gone, or not in the conversation: the beginning is shown
      );
    } else if (turn !== null) {
      const row = head.turns.find((each) => each.index === turn);
      if (row !== undefined) handle.current?.goTo({ part: row.firstPart });
    } else if (at === 'end') handle.current?.goToEnd();
  }, [source, head, start, handle, goToLine, onBranch]);
}

const settleMs = 400;

/** The address follows the place on the screen; the history does not grow with it. */
function useAddress(source: SessionSource, head: SessionHead, turn: number, filter: ViewFilter): void {
  const hasMoved = useRef(false);
  useEffect(() => {
    // The first address names its place more exactly, until the user scrolls.
    const note = (): void => {
      hasMoved.current = true;
    };
    const events = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const event of events) document.addEventListener(event, note, { passive: true, capture: true });
    return () => {
      for (const event of events) document.removeEventListener(event, note, { capture: true });
    };
  }, []);
  useEffect(() => {
    if (turn === 0) return;
    const timer = setTimeout(() => {
      if (hasMoved.current) history.replaceState(null, '', source.addressOf({ branch: head.branch, turn, filter }));
    }, settleMs);
    return () => clearTimeout(timer);
  }, [source, head.branch, turn, filter]);
}

export const sessionKeys: readonly KeyMeaning[] = [
  [['j'], 'next turn'],
  [['k'], 'previous turn'],
  [['g'], 'to the beginning'],
  [['G'], 'to the end'],
  [['e', 'E'], 'next, previous error'],
  [['c', 'C'], 'next, previous call'],
  [['x', 'X'], 'next, previous compaction'],
  [['/'], 'find in this session'],
  [['o'], 'show or hide the outline'],
  [['Ctrl', 'k'], 'go to a page, a session or an action'],
  [['i'], 'show or hide the turn in detail: context, cost, to-do, files'],
  [['?'], 'this help'],
  [['Esc'], 'close what is open'],
];

function Help({ onClose }: { onClose(): void }) {
  return <KeyHelp keys={sessionKeys} onClose={onClose} />;
}

function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
      if (isTyping || document.querySelector('dialog[open]') !== null) return;
      const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [keys]);
}
