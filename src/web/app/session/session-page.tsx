// The session page: the outline of turns next to the conversation, and above both what the session is.
import { type ComponentType, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FindHit, Place, TurnRow } from '../../../export/wire/index.ts';
import { KeyHelp } from '../keys/index.ts';
import { Conversation, type ConversationHandle, type GoOptions } from './conversation.tsx';
import { FindBar } from './find/bar/index.ts';
import { FoundElsewhere, useFinding } from './find/index.ts';
import { documentTitle } from './format/index.ts';
import { rawDrawer, similarSessions, useLaterParts } from './later-parts.tsx';
import { FileNotices, usePresence } from './live/index.ts';
import { OpeningSession } from './opening.tsx';
import { Outline } from './outline.tsx';
import { Paper } from './print-page.tsx';
import { SessionHeader } from './session-header.tsx';
import { sessionKeys } from './session-keys.ts';
import type { SidePanelProps } from './side/index.ts';
import {
  ActionsContext,
  type FoldAll,
  LiveContext,
  type PageActions,
  type SessionAddress,
  type SessionSource,
  SourceContext,
  type Target,
  type TargetLine,
  useActions,
  type ViewFilter,
} from './source/index.ts';
import { Words } from './text/index.ts';
import { useAddress } from './use-address.ts';
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
  const [start, setStart] = useState(() => source.startPlace());
  const [branch, setBranch] = useState(start.branch ?? 1);
  const [toast, setToast] = useState('');
  const [raw, setRaw] = useState<{ readonly source: SessionSource; readonly place: Place } | null>(null);
  const mayStart = start.line === null && start.turn === null && start.at === null && start.q === null;
  const { session, problem, agentVersions, replacements } = useSession(source, branch, mayStart);
  const [folds] = useState(() => new Map<string, boolean>());
  useLaterParts(session !== null);
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
  const openBranch = useCallback((number: number, address: SessionAddress): void => {
    setStart(address);
    setBranch(number);
  }, []);
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
              <Suspense>
                <similarSessions.Part source={source} />
              </Suspense>
              {source.exported === null ? (
                <p>
                  <a href="/">All sessions</a>
                </p>
              ) : null}
            </main>
          ) : session === null ? (
            <OpeningSession />
          ) : (
            <Reader
              source={source}
              session={session}
              start={start}
              replacements={replacements}
              onBranch={openBranch}
              SidePanel={SidePanel}
            />
          )}
          {session === null ? null : <Paper source={source} head={session.head} />}
          {raw === null ? null : (
            <Suspense>
              <rawDrawer.Part source={raw.source} place={raw.place} onClose={() => setRaw(null)} />
            </Suspense>
          )}
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
  /** Opens another branch at an address. */
  onBranch(branch: number, address: SessionAddress): void;
}

function Reader({ source, session, start, SidePanel, replacements, onBranch }: ReaderProps) {
  const side = useSide();
  const { head, store, isWhole } = session;
  const handle = useRef<ConversationHandle>(null);
  const [part, setPart] = useState(0);
  const [filter, setFilter] = useState(start.filter);
  const [foldAll, setFoldAll] = useState<FoldAll>({ version: 0, isOpen: null });
  const { folds } = useActions();
  const presence = usePresence(source);
  const [dismissed, setDismissed] = useState(0);
  const [hasHelp, setHelp] = useState(false);
  const [hasOutline, setOutline] = useState(() => matchMedia('(min-width: 900px)').matches);
  const row = rowOfPart(head.turns, part);
  const { chosen, choose } = useChosenTurn(start.turn);
  const isKnown = chosen !== null && head.turns.some(({ index }) => index === chosen);
  const current = isKnown ? chosen : (row?.index ?? 0);

  const goTo = useCallback(
    (to: Target, options: GoOptions = {}): void => {
      if (to.line !== undefined) choose(null);
      handle.current?.goTo(to, options);
    },
    [choose],
  );
  const finding = useFinding({ source, branch: head.branch, start, filter, goTo, onBranch });
  const { wanted, target, targetPart, goToHit, goToLine, leave } = finding;
  const goToTurn = (to: TurnRow): void => {
    choose(to.index);
    // A turn that the view hides is shown because it was chosen.
    leave(to.firstPart);
    goTo({ part: to.firstPart });
    if (!matchMedia('(min-width: 900px)').matches) setOutline(false);
  };
  useStartTurn(head.turns, start, handle);
  const keepAddress = useAddress(source, { branch: head.branch, turn: current, filter, wanted });
  useEffect(() => {
    document.title = documentTitle(head.title ?? 'Untitled session');
  }, [head.title]);
  const step = (by: number): void => {
    const next = head.turns[current - (head.turns[0]?.index ?? 1) + by];
    if (next !== undefined) goToTurn(next);
  };
  const changeFilter = (next: ViewFilter): void => {
    leave();
    setFilter(next);
    history.replaceState(null, '', source.addressOf({ branch: head.branch, turn: current, filter: next }));
    // The place stays: the turn on the screen, or the one before it.
    if (row !== undefined) requestAnimationFrame(() => handle.current?.goTo({ part }));
  };
  const changeFolds = (isOpen: boolean): void => {
    folds.clear();
    leave();
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
    '/': () => finding.open(),
    o: () => setOutline(!hasOutline),
    i: () => side.setOpen(!side.isOpen),
    '?': () => setHelp(true),
    Escape: () => finding.close(),
  };
  useKeys(keys);
  const onHit = useCallback(
    (hit: FindHit): void => {
      keepAddress();
      goToHit(hit);
    },
    [keepAddress, goToHit],
  );
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
          onFind={() => finding.open()}
          onOutline={() => setOutline(!hasOutline)}
          onHelp={() => setHelp(true)}
          {...(SidePanel === undefined ? {} : { side })}
          presence={presence}
          view={{ head, filter, onFilter: changeFilter, onFoldAll: changeFolds }}
        >
          <FileNotices
            head={head}
            isGone={presence?.isGone === true}
            isArchived={presence !== null && !presence.isGone && !presence.isOnDisk && presence.isArchived}
            stored={presence?.stored ?? null}
            isRecovered={presence !== null && !presence.isGone && !presence.isOnDisk && !presence.isArchived}
            isReplaced={replacements > dismissed}
            onDismiss={() => setDismissed(replacements)}
          />
        </SessionHeader>
        {wanted === null ? null : (
          <FindBar
            source={source}
            wanted={wanted}
            current={target?.hit}
            part={part}
            goesToFirst={finding.goesToFirst}
            onWanted={finding.look}
            onHit={onHit}
            onClose={finding.close}
          />
        )}
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
        {target === null || !finding.isElsewhere ? null : <FoundElsewhere target={target} onClose={() => leave()} />}
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

/** Goes to the turn or to the end, if the address names it, once. */
function useStartTurn(
  turns: readonly TurnRow[],
  { line, turn, at }: SessionAddress,
  handle: React.RefObject<ConversationHandle | null>,
): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || line !== null) return;
    isDone.current = true;
    const row = turns.find((each) => each.index === turn);
    if (row !== undefined) handle.current?.goTo({ part: row.firstPart });
    else if (at === 'end') handle.current?.goToEnd();
  }, [turns, line, turn, at, handle]);
}

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
