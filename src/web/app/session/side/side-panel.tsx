// The right side of the session page, for the turn on the screen: what the context is made of, cost so far, the to-do list,
// and the files that were changed. Everything is as it was after the turn.
import { type MouseEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { formatBytes, formatTokens, neutralise } from '../../../../base/text/index.ts';
import type { SessionHead, TodoState, TurnRow } from '../../../../export/wire/index.ts';
import { type Abortable, type Answered, ProblemNote, useAnswer } from '../../page/index.ts';
import { formatKnownMoney } from '../format/index.ts';
import type { SessionSource, SideSource, TargetLine } from '../source/index.ts';
import { Words } from '../text/index.ts';
import { ContextPart } from './context-part.tsx';
import { FilesPart } from './files-part.tsx';

export interface SidePanelProps {
  readonly source: SessionSource;
  readonly side: SideSource;
  readonly head: SessionHead;
  /** The turn on the screen. */
  readonly current: number;
  goToLine(part: number, line: TargetLine): void;
  onClose(): void;
}

/** Scrolling through turns asks for nothing, and opening a session shows its turns first. */
const settleMs = 350;
const startMs = 700;
/** A session that is being written to is asked for at most this often. */
const growthMs = 3_000;
/** A larger session is read for this only if the user asks: the server reads all of it. */
const maxBytes = 32 * 1024 * 1024;

export function SidePanel({ source, side, head, current, goToLine, onClose }: SidePanelProps) {
  const { branch } = head;
  const turn = useSettled(current, settleMs);
  // The last turn grows: its number of lines asks again.
  const grown = useEvery(head.lines, growthMs);
  const lines = turn === head.turnCount ? grown : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `lines` repeats the request when the session has grown
  const askContext = useCallback(
    ({ init }: Abortable) => side.context({ branch, turn }, init.signal),
    [side, branch, turn, lines],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `lines` repeats the request when the session has grown
  const askView = useCallback(
    ({ init }: Abortable) => side.view({ branch, turn }, init.signal),
    [side, branch, turn, lines],
  );
  const [isWanted, setWanted] = useState(head.sizeBytes <= maxBytes);
  const isAsked = turn > 0 && isWanted;
  const context = useAnswer(isAsked ? askContext : null);
  const view = useAnswer(isAsked ? askView : null);
  const problem = context.problem ?? view.problem;
  const lineLink = (line: number, text: string): ReactNode => {
    const follow = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      source.place(line).then(
        (shown) => {
          if (shown !== null) goToLine(shown.part, { line: shown.line, agentId: source.agentId });
        },
        () => {}, // the line is gone
      );
    };
    return (
      <a href={source.addressOf({ branch, line })} onClick={follow}>
        {text}
      </a>
    );
  };
  return (
    <aside className="side" aria-label="Turn in detail">
      <header>
        <h2>{turn === 0 ? 'Turn in detail' : `After turn ${turn}`}</h2>
        <button type="button" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {isWanted ? null : (
        <p>
          <button type="button" onClick={() => setWanted(true)}>
            Read all {formatBytes(head.sizeBytes)} for context, to-do list and files
          </button>
        </p>
      )}
      {problem === null ? null : (
        <ProblemNote
          problem={problem}
          isUrgent={false}
          onRetry={() => {
            context.askAgain();
            view.askAgain();
          }}
        />
      )}
      <Part name="Context" answered={context}>
        {(ledger) => <ContextPart ledger={ledger} limit={head.contextLimit} lineLink={lineLink} />}
      </Part>
      <section aria-label="Cost so far">
        <h3>Cost so far</h3>
        <Cost turns={head.turns} turn={turn} />
      </section>
      <Part name="To-do" answered={view} isShown={({ todos }) => todos !== null}>
        {({ todos }) => (todos === null ? null : <Todos state={todos} lineLink={lineLink} />)}
      </Part>
      <Part name="Files changed" answered={view}>
        {(shown) => <FilesPart view={shown} cwd={head.cwd} branch={branch} side={side} lineLink={lineLink} />}
      </Part>
    </aside>
  );
}

interface PartProps<T> {
  readonly name: string;
  readonly answered: Answered<T>;
  isShown?(answer: T): boolean;
  children(answer: T): ReactNode;
}

function Part<T>({ name, answered: { answer, problem, isAsking }, isShown, children }: PartProps<T>) {
  if (answer === null ? problem !== null : isShown?.(answer) === false) return null;
  return (
    <section aria-label={name} aria-busy={isAsking}>
      <h3>{name}</h3>
      {answer === null ? <p className="quiet">{isAsking ? 'Reading…' : ''}</p> : children(answer)}
    </section>
  );
}

function useSettled(value: number, ms: number): number {
  const [settled, setSettled] = useState(0);
  useEffect(() => {
    if (value === settled) return;
    const timer = setTimeout(() => setSettled(value), settled === 0 ? startMs : ms);
    return () => clearTimeout(timer);
  }, [value, settled, ms]);
  return settled;
}

/** The value, which changes at most once in this time. */
function useEvery(value: number, ms: number): number {
  const [shown, setShown] = useState(value);
  const changedAt = useRef(0);
  useEffect(() => {
    if (value === shown) return;
    const change = (): void => {
      changedAt.current = performance.now();
      setShown(value);
    };
    const timer = setTimeout(change, Math.max(0, changedAt.current + ms - performance.now()));
    return () => clearTimeout(timer);
  }, [value, shown, ms]);
  return shown;
}

function Cost({ turns, turn }: { readonly turns: readonly TurnRow[]; readonly turn: number }) {
  const before = turns.filter((row) => row.index <= turn);
  const own = before.at(-1);
  const micros = before.reduce((sum, row) => sum + (row.costMicros ?? 0), 0);
  const unpriced = before.reduce((sum, row) => sum + row.unpriced, 0);
  const output = before.reduce((sum, row) => sum + row.usage.outputTokens, 0);
  return (
    <p className="side-sum">
      <strong className="cost">{formatKnownMoney(micros, unpriced > 0)}</strong>
      {own === undefined || own.costMicros === null
        ? ''
        : `, ${formatKnownMoney(own.costMicros, own.unpriced > 0)} of it in this turn`}
      <span className="quiet"> · {formatTokens(output)} tokens of output</span>
    </p>
  );
}

const marks: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', pending: '○' };

interface TodosProps {
  readonly state: TodoState;
  lineLink(line: number, text: string): ReactNode;
}

function Todos({ state: { todos, line }, lineLink }: TodosProps) {
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <>
      <p className="side-sum">
        {todos.length === 0 ? 'The list is empty' : `${done} of ${todos.length} done`}
        {', '}
        {lineLink(line, `changed on line ${line}`)}
      </p>
      <ul className="side-todos">
        {todos.map(({ content, status }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tasks may have the same text
          <li key={i} className={Object.hasOwn(marks, status) ? `side-todo-${status}` : ''}>
            <span role="img" aria-label={neutralise(status.replaceAll('_', ' '))}>
              {Object.hasOwn(marks, status) ? marks[status] : '·'}
            </span>
            <span>
              <Words text={content} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
