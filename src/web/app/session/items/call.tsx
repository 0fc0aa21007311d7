// A tool call: one line with its input summary and outcome; below it, folded or not, its detail, and the
// sub-agent that it started.
import { type ComponentType, useCallback, useContext, useEffect, useState } from 'react';
import { counted, formatDuration, formatTokens, neutralise } from '../../../../base/text/index.ts';
import type {
  AgentRow,
  CallDetail,
  CallItem,
  Item,
  PromptView,
  SessionHead,
  TurnView,
} from '../../../../export/wire/index.ts';
import { stampText } from '../copy/index.ts';
import { FoundHere } from '../find/index.ts';
import { RunningTime } from '../live/index.ts';
import {
  LiveContext,
  RunningContext,
  type SessionSource,
  SourceContext,
  TargetContext,
  useFold,
  useIsOnTrail,
  useIsTarget,
  useIsTargetCall,
  usePlaceNames,
  useSource,
} from '../source/index.ts';
import { Images, JumpedTo, MarkdownText, PlainText, RawButton, TerminalText, Words } from '../text/index.ts';
import { Detail, isShownOpen } from './details.tsx';

const marks = { done: '✓', failed: '✗', declined: '⊘', interrupted: '⊘', open: '…' } as const;
const meanings = {
  done: 'done',
  failed: 'failed',
  declined: 'declined by you',
  interrupted: 'interrupted by you',
  open: 'no result',
} as const;

/** Draws the items of a sub-agent; given by items.tsx, which draws the calls too. */
type Items = ComponentType<{ readonly items: readonly Item[] }>;

export function Call({ item, Items }: { readonly item: CallItem; readonly Items: Items }) {
  const runsFrom = useContext(RunningContext);
  const isRunning = item.state === 'open' && runsFrom !== null && item.place.line >= runsFrom;
  const isTarget = useIsTargetCall(item.id, item.place.line, item.resultPlace?.line);
  const [isOpen, setOpen] = useFold(`call ${item.id}`, opensAtFirst(item));
  useEffect(() => {
    if (isTarget) setOpen(true);
  }, [isTarget, setOpen]);
  return (
    <div
      className={`item call ${item.state} ${isTarget ? 'target' : ''}`}
      {...usePlaceNames(item.place, item.resultPlace)}
    >
      <div className="call-head" title={neutralise(stampText(item))}>
        <button type="button" className="call-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="call-mark" role="img" aria-label={isRunning ? 'running' : meanings[item.state]}>
            {marks[item.state]}
          </span>
          <span className="call-name">
            <Words text={item.name} />
          </span>
          <span className="call-summary">
            <Words text={item.summary} />
          </span>
          {isRunning ? (
            <span className="call-outcome running">
              <RunningTime since={item.at} />
            </span>
          ) : (
            <Outcome item={item} isOpen={isOpen} />
          )}
        </button>
        <RawButton place={item.place} also={item.resultPlace} />
      </div>
      {isOpen ? (
        <JumpedTo value={isTarget}>
          <div className="call-body">
            {item.reply === null ? null : (
              <div className="reply">
                <p className="quiet">You said</p>
                <PlainText text={item.reply} />
              </div>
            )}
            {item.error === null ? null : <TerminalText text={item.error} label="error" tone="stderr" />}
            {(item.error !== null || item.state === 'declined') && isEmptyWithout(item.detail) ? null : (
              <Detail detail={item.detail} id={item.id} />
            )}
          </div>
        </JumpedTo>
      ) : null}
      <Images images={item.images} />
      <FoundHere
        lines={[item.place.line, item.resultPlace?.line]}
        callId={item.id}
        kinds={['tool-input', 'tool-output']}
      />
      {item.agent === null ? null : (
        // Its lines have numbers of their own.
        <RunningContext value={isRunning ? 1 : null}>
          <AgentPanel agent={item.agent} Items={Items} />
        </RunningContext>
      )}
    </div>
  );
}

/** A declined command has nothing to show but the user's reply. */
function opensAtFirst({ state, detail, reply }: CallItem): boolean {
  if (state === 'declined' && detail.as === 'shell') return reply !== null;
  // Without a result there is no output yet.
  if (state === 'open' && detail.as === 'shell') return false;
  return state === 'failed' || reply !== null || isShownOpen(detail);
}

/** For a failed call these show only the error. */
function isEmptyWithout({ as }: CallDetail): boolean {
  return as === 'file' || as === 'search' || as === 'web-search' || as === 'web-fetch';
}

/** The detail says more than the tool's own words; an error is shown once, whole if the call is open. */
function isSaidBelow({ state, detail: { as } }: CallItem, isOpen: boolean): boolean {
  if (state === 'failed') return isOpen;
  return state === 'done' && (as === 'todos' || as === 'plan' || as === 'questions');
}

function Outcome({ item, isOpen }: { readonly item: CallItem; readonly isOpen: boolean }) {
  const { detail } = item;
  const took = item.durationMs !== null && item.durationMs >= 2_000 ? formatDuration(item.durationMs) : '';
  if (detail.as === 'diff' && item.state === 'done') {
    return (
      <span className="call-outcome" title={meaningOf(item, took)}>
        <span className="plus">+{detail.added}</span> <span className="minus">−{detail.removed}</span> {took}
        <span className="unseen"> ({meaningOf(item, took)})</span>
      </span>
    );
  }
  const facts =
    detail.as === 'agent' && detail.tokens !== null
      ? [`${detail.calls ?? 0} calls`, `${formatTokens(detail.tokens)} tokens`, took]
      : [
          isSaidBelow(item, isOpen) ? '' : isOpen && item.reply !== null ? withoutReply(item.outcome) : item.outcome,
          took,
        ];
  return (
    <span className="call-outcome" title={neutralise(meaningOf(item, took))}>
      <Words text={facts.filter((fact) => fact !== '').join(' · ')} />
    </span>
  );
}

/** `You declined this edit`: the reply is below. */
function withoutReply(outcome: string): string {
  return outcome.split(':', 1)[0] ?? outcome;
}

/** What the numbers of the outcome count; the outcome itself if it is cut. */
function meaningOf({ detail, outcome }: CallItem, took: string): string {
  const time = took === '' ? '' : `${took} until its result`;
  const facts =
    detail.as === 'diff'
      ? [`${counted(detail.added, 'line')} added, ${detail.removed} removed`, time]
      : detail.as === 'agent' && detail.tokens !== null
        ? ['Calls and tokens of the sub-agent', time]
        : [outcome, time];
  return facts.filter((fact) => fact !== '').join('; ');
}

// A sub-agent below the call that started it: its own turns, loaded on demand, a few parts at a time. An
// agent that started others shows them in the same way.

function AgentPanel({ agent, Items }: { readonly agent: AgentRow; readonly Items: Items }) {
  const [isOpen, setOpen] = useFold(`agent ${agent.agentId}`, false);
  const isWanted = useIsOnTrail(agent.agentId);
  useEffect(() => {
    if (isWanted) setOpen(true);
  }, [isWanted, setOpen]);
  const name = [agent.agentType, agent.description].filter((part) => part !== null).join(': ') || agent.agentId;
  return (
    <article className="agent" aria-label={neutralise(`Sub-agent ${name}`)} data-agent={agent.agentId}>
      <button type="button" className="agent-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">↳</span> Sub-agent <Words text={name} />
      </button>
      {isOpen ? <AgentTurns agentId={agent.agentId} Items={Items} /> : null}
    </article>
  );
}

const partsAtOnce = 8;
const maxDepth = 8;

function AgentTurns({ agentId, Items }: { readonly agentId: string; readonly Items: Items }) {
  const above = useSource();
  const [own] = useState(() => above.ofAgent(agentId));
  const { head, parts, problem, showMore } = useAgent(own);
  if (depthOf(above) >= maxDepth) return <p className="quiet">Nested too deep to be opened here.</p>;
  if (problem !== null) return <p className="problem">The sub-agent cannot be shown: {problem}</p>;
  if (head === null) return <p className="quiet">Loading the sub-agent…</p>;
  return (
    <SourceContext value={nested(own, above)}>
      <div className="agent-body">
        <p className="quiet">
          <Words
            text={[
              counted(head.lines, 'line'),
              ...(head.models.length === 0 ? [] : [head.models.join(', ')]),
              `${formatTokens(head.usage.outputTokens)} tokens out`,
            ].join(' · ')}
          />
        </p>
        {parts.map((part) => (
          <div key={part.part}>
            {part.prompt === null ? null : <AgentPrompt prompt={part.prompt} />}
            <Items items={part.items} />
          </div>
        ))}
        {parts.length < head.parts ? (
          <button type="button" className="more" onClick={showMore}>
            Show more of this sub-agent ({head.parts - parts.length} parts)
          </button>
        ) : null}
      </div>
    </SourceContext>
  );
}

function AgentPrompt({ prompt }: { readonly prompt: PromptView }) {
  const isTarget = useIsTarget(prompt.place.line);
  return (
    <div className={`agent-prompt ${isTarget ? 'target' : ''}`} {...usePlaceNames(prompt.place)}>
      <MarkdownText text={prompt.text} />
      <FoundHere lines={[prompt.place.line]} />
    </div>
  );
}

/** How many parts of a sub-agent must be there to show the line that was jumped to. */
function usePartsForTarget(agentId: string): number {
  const target = useContext(TargetContext);
  if (!(target?.trail ?? []).includes(agentId)) return 0;
  return target?.trail?.at(-1) === agentId ? (target.agentPart ?? 0) + 1 : Number.POSITIVE_INFINITY;
}

interface AgentData {
  readonly head: SessionHead | null;
  readonly parts: readonly TurnView[];
  readonly problem: string | null;
  showMore(): void;
}

function useAgent(source: SessionSource): AgentData {
  const live = useContext(LiveContext);
  const version = live.get(source.agentId ?? '') ?? 0;
  const [head, setHead] = useState<SessionHead | null>(null);
  const [parts, setParts] = useState<readonly TurnView[]>([]);
  const [asked, setWanted] = useState(partsAtOnce);
  const wanted = Math.max(asked, usePartsForTarget(source.agentId ?? ''));
  const [problem, setProblem] = useState<string | null>(null);
  // `version` counts the appends: after each, the shown parts are loaded again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is the reason to ask again
  useEffect(() => {
    const request = new AbortController();
    const load = async (): Promise<void> => {
      const newHead = await source.head(1, request.signal);
      const views: TurnView[] = [];
      const count = Math.min(wanted, newHead.parts);
      while (views.length < count) {
        const next = await source.parts(1, views.length, count, request.signal);
        if (next.length === 0) break;
        views.push(...next);
      }
      setHead(newHead);
      setParts(views);
    };
    load().catch((error: unknown) => {
      if (!request.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => request.abort();
  }, [source, wanted, version]);
  const showMore = useCallback(() => setWanted((count) => count + partsAtOnce * 3), []);
  return { head, parts, problem, showMore };
}

/** Damage may lead an agent to itself, so the depth of each source is recorded. */
const depths = new WeakMap<SessionSource, number>();

function depthOf(source: SessionSource): number {
  return depths.get(source) ?? 0;
}

function nested(own: SessionSource, above: SessionSource): SessionSource {
  depths.set(own, depthOf(above) + 1);
  return own;
}
