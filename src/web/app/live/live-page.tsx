// The live page: the sessions that run now, with their latest lines.
import { useCallback, useEffect, useState } from 'react';
import { counted, formatAge } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { LiveLine, LiveRow, SessionRow } from '../../wire/index.ts';
import { shortProject } from '../library/index.ts';
import {
  type Abortable,
  Empty,
  PageFrame,
  ProblemNote,
  useAnswer,
  useEvent,
  useServices,
  useThrottled,
  Waiting,
} from '../page/index.ts';
import { formatKnownMoney, formatTime } from '../session/format/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';
import { addLines, type LiveLines, lineKey } from './live-lines.ts';

const ageMs = 15_000;
const refreshMs = 300;

export function LivePage() {
  const { client, events } = useServices();
  const ask = useCallback((options: Abortable) => readJson(client.live.$get({}, options)), [client]);
  const { answer, problem, askAgain } = useAnswer(ask);
  const [received, setReceived] = useState<LiveLines>(new Map());
  const now = useNow();
  useEffect(() => events.want({ live: true }), [events]);
  useEffect(() => events.onMissed(askAgain), [events, askAgain]);
  useEvent(
    'live',
    useCallback(({ key, lines }) => setReceived((known) => addLines(known, key, lines)), []),
  );
  const later = useThrottled(askAgain, refreshMs);
  const [rows, setRows] = useState<ReadonlyMap<string, SessionRow>>(new Map());
  useEvent(
    'sessions',
    useCallback(
      ({ changed, isMany }) => {
        const shown = new Set(answer?.sessions.map(({ row }) => row.key));
        setRows((known) => new Map([...known, ...changed.map((row) => [row.key, row] as const)]));
        // Only the server knows which sessions run, and their processes.
        if (isMany || changed.some(({ key, isLive }) => isLive !== shown.has(key))) later();
      },
      [answer, later],
    ),
  );
  return (
    <PageFrame
      title="Live"
      className="live"
      isReady={answer !== null}
      tools={
        answer === null ? null : (
          <output className="quiet page-facts">
            {answer.sessions.length === 0 ? '' : `${counted(answer.sessions.length, 'session')} running`}
          </output>
        )
      }
    >
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <Waiting what="Looking for running sessions" /> : null}
      {answer !== null && answer.sessions.length === 0 ? (
        <Empty>
          <p>Nothing is running.</p>
          <p className="quiet">
            A session appears here as soon as it writes, and stays until two minutes after its last line.
          </p>
        </Empty>
      ) : null}
      {answer?.sessions.map((session) => (
        <LiveSession
          key={session.row.key}
          session={{ ...session, row: rows.get(session.row.key) ?? session.row }}
          received={received.get(session.row.key) ?? []}
          now={now}
        />
      ))}
    </PageFrame>
  );
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), ageMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface LiveSessionProps {
  readonly session: LiveRow;
  readonly received: readonly LiveLine[];
  readonly now: number;
}

const shownLines = 12;

function LiveSession({ session, received, now }: LiveSessionProps) {
  const { row, pid, recent } = session;
  const title = row.title ?? row.firstPrompt ?? 'Untitled session';
  const lines = (addLines(new Map([['', recent]]), '', received).get('') ?? []).slice(-shownLines);
  const facts = [
    shortProject(row.project),
    `last line ${formatAge(row.changedAt, now)}`.replace('last line now', 'writing now'),
    row.turns === null ? '' : counted(row.turns, 'turn'),
    pid === null ? '' : `process ${pid}`,
  ].filter((fact) => fact !== '');
  return (
    <article className="live-session">
      <h2>
        <a href={writeAddress(row.key, { at: 'end' })} data-stop="">
          <Words text={title} />
        </a>
      </h2>
      <p className="quiet">
        <Words text={facts.join(' · ')} />
        {row.costMicroUsd === null ? null : (
          <span className="cost"> · {formatKnownMoney(row.costMicroUsd, row.costIsPart)}</span>
        )}
      </p>
      <ol>
        {lines.map((line) => (
          <li key={lineKey(line)} className={`live-${line.kind}`}>
            <a href={writeAddress(row.key, { line: line.line, agentId: line.agentId })} title={formatTime(line.time)}>
              <span className="live-kind">
                {line.tool === null ? kindNames[line.kind] : <Words text={line.tool} />}
                {line.agentId === null ? '' : ' (sub-agent)'}
              </span>
              <span className="live-text">
                <Words text={line.text} />
              </span>
            </a>
          </li>
        ))}
      </ol>
    </article>
  );
}

const kindNames: Readonly<Record<LiveLine['kind'], string>> = {
  prompt: 'Prompt',
  text: 'Answer',
  thinking: 'Thinking',
  call: 'Call',
  result: 'Result',
  error: 'Error',
  other: 'Note',
};
