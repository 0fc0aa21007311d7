// The session page: the outline of turns next to the conversation, and above both what the session is. It keeps the
// address up to date with the place on the screen, so that the address is always a link to it.
import { type ComponentType, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { neutralise } from '../../../base/text/index.ts';
import type { FindHit, Place, SessionHead, TurnRow } from '../../../export/wire/index.ts';
import { KeyHelp, type KeyMeaning } from '../keys/index.ts';
import { Conversation, type ConversationHandle } from './conversation.tsx';
import { FindBar } from './find-bar.tsx';
import { Outline } from './outline.tsx';
import { RawDrawer } from './raw-drawer.tsx';
import { SessionHeader } from './session-header.tsx';
import type { SidePanelProps } from './side/index.ts';
import {
  ActionsContext,
  LiveContext,
  type PageActions,
  type SessionAddress,
  type SessionSource,
  SourceContext,
  TargetContext,
  type TargetLine,
} from './source/index.ts';
import { Words } from './text/index.ts';
import { type LoadedSession, rowOfPart, useSession } from './use-session.ts';
import { useSide } from './use-side.ts';

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
  const { session, problem, agentVersions } = useSession(source, branch, start.line === null && start.turn === null);
  const [folds] = useState(() => new Map<string, boolean>());
  const actions = useMemo<PageActions>(
    () => ({
      folds,
      showRaw: (of, place) => setRaw({ source: of, place }),
      showBranch: (number) => {
        history.pushState(null, '', source.addressOf({ branch: number }));
        setBranch(number);
      },
      copy: (text, what) =>
        void copyText(text).then((done) => setToast(done ? `${what} copied` : `${what} could not be copied`)),
      linkTo: (line, agentId) => new URL(source.addressOf({ branch, line, agentId }), location.href).href,
    }),
    [folds, source, branch],
  );
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
            <Reader source={source} session={session} start={start} onBranch={setBranch} SidePanel={SidePanel} />
          )}
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
  onBranch(branch: number): void;
}

function Reader({ source, session, start, SidePanel, onBranch }: ReaderProps) {
  const side = useSide();
  const { head, store, isWhole } = session;
  const handle = useRef<ConversationHandle>(null);
  const [part, setPart] = useState(0);
  const [target, setTarget] = useState<TargetLine | null>(null);
  const [isFinding, setFinding] = useState(false);
  const [hasHelp, setHelp] = useState(false);
  const [hasOutline, setOutline] = useState(() => matchMedia('(min-width: 900px)').matches);
  const row = rowOfPart(head.turns, part);
  const current = row?.index ?? 0;

  const goToTurn = useCallback((to: TurnRow): void => {
    setTarget(null);
    handle.current?.goTo({ part: to.firstPart });
    if (!matchMedia('(min-width: 900px)').matches) setOutline(false);
  }, []);
  const goToLine = useCallback((to: number, line: TargetLine): void => {
    setTarget(line);
    handle.current?.goTo({ part: to, line });
  }, []);
  useStart({ source, head, start, handle, goToLine, onBranch });
  useAddress(source, head, current);
  useEffect(() => {
    document.title = `${neutralise(head.title ?? 'Untitled session')} – Clew`;
  }, [head.title]);
  const step = (by: number): void => {
    const next = head.turns[current - (head.turns[0]?.index ?? 1) + by];
    if (next !== undefined) goToTurn(next);
  };
  const keys = {
    j: () => step(1),
    k: () => step(row !== undefined && part > row.firstPart ? 0 : -1),
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
    <TargetContext value={target}>
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
        />
        {isFinding ? (
          <FindBar source={source} branch={head.branch} onHit={onHit} onClose={() => setFinding(false)} />
        ) : null}
        <nav className="outline" aria-label="Turns" hidden={!hasOutline}>
          {isWhole ? null : <p className="outline-note quiet">Reading the rest…</p>}
          <Outline head={head} current={current} onTurn={goToTurn} />
        </nav>
        <Conversation head={head} store={store} isWhole={isWhole} handle={handle} onPlace={setPart} />
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
    </TargetContext>
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
    const { line, turn, agentId } = start;
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
    }
  }, [source, head, start, handle, goToLine, onBranch]);
}

const settleMs = 400;

/** The address follows the place on the screen; the history does not grow with it. */
function useAddress(source: SessionSource, head: SessionHead, turn: number): void {
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
      if (hasMoved.current) history.replaceState(null, '', source.addressOf({ branch: head.branch, turn }));
    }, settleMs);
    return () => clearTimeout(timer);
  }, [source, head.branch, turn]);
}

export const sessionKeys: readonly KeyMeaning[] = [
  [['j'], 'next turn'],
  [['k'], 'previous turn'],
  [['g'], 'to the beginning'],
  [['G'], 'to the end'],
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
