// The usage page: cost and tokens by time, model, project and tool, with the messages that each number counts.
import { useCallback, useMemo, useState } from 'react';
import { counted, formatCount, formatTokens } from '../../../base/text/index.ts';
import { type Client, readJson } from '../../client/index.ts';
import type { TopAnswer, UsageAnswer, UsageQuery, UsageSumView } from '../../wire/index.ts';
import { isHiddenProject, shortProject } from '../library/index.ts';
import {
  type Abortable,
  addressWith,
  Empty,
  PageFrame,
  ProblemNote,
  useAnswer,
  useGeneration,
  usePlace,
  useServices,
  useStatus,
  Waiting,
} from '../page/index.ts';
import { formatKnownMoney, formatTime } from '../session/format/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';
import { BarList } from './bar-list.tsx';
import { DayHeatmap } from './day-heatmap.tsx';
import { RangePicker } from './range-picker.tsx';
import { ReceiptsDrawer, type ReceiptsOf } from './receipts-drawer.tsx';
import { TimeChart } from './time-chart.tsx';
import { ToolCalls, ToolList } from './tool-list.tsx';
import {
  amountOf,
  amountText,
  costText,
  inputOf,
  type Measure,
  projectQuery,
  rangeQuery,
  readUsageAddress,
  type UsageAddress,
} from './usage-address.ts';
import { ActiveBlock, CacheFacts } from './usage-facts.tsx';

export function UsagePage() {
  const { client } = useServices();
  const { search } = usePlace();
  const isStored = useStatus()?.store != null;
  const address = useMemo(() => readUsageAddress(search), [search]);
  const [receiptsOf, setReceiptsOf] = useState<ReceiptsOf | null>(null);
  const ask = useCallback((options: Abortable) => askAll(client, address, options), [client, address]);
  const { answer, problem, isAsking, askAgain } = useAnswer(ask);
  useGeneration(askAgain);
  const openReceipts = useCallback(
    (title: string, query: UsageQuery) => setReceiptsOf({ title, query: { ...rangeQuery(address), ...query } }),
    [address],
  );
  // They are lines of transcripts, which are on the machines that pushed to a store.
  const showReceipts = isStored ? undefined : openReceipts;
  return (
    <PageFrame title="Usage" className="usage" isReady={answer !== null}>
      <RangePicker address={address} />
      {address.project === null ? null : (
        <p className="project-filter">
          Only <Words text={address.project} /> <a href={addressWith({ project: null })}>Show all projects</a>
        </p>
      )}
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <Waiting what="Counting" /> : null}
      {answer === null ? null : answer.models.totals.messages === 0 ? (
        <Empty>
          {Object.keys(rangeQuery(address)).length === 0 ? (
            <p>No usage has been counted yet.</p>
          ) : (
            <>
              <p>No messages in this range.</p>
              <p>
                <a href="/usage">All time</a>
              </p>
            </>
          )}
        </Empty>
      ) : (
        <div aria-busy={isAsking}>
          <Totals answer={answer.models} onReceipts={showReceipts} />
          <div className="usage-facts">
            <ActiveBlock row={answer.block} />
            <CacheFacts cache={answer.cache} />
          </div>
          <TimeChart report={answer.time} measure={address.measure} onReceipts={showReceipts} />
          <DayHeatmap rows={answer.days.rows} measure={address.measure} />
          <div className="usage-lists">
            <BarList
              title="By model"
              rows={answer.models.rows.map((row) => barOf(row, row.key ?? 'unknown model', address.measure))}
            />
            <BarList
              title="By project"
              rows={answer.projects.rows.map((row) => ({
                ...barOf(row, row.key ?? 'unknown folder', address.measure, shortProject),
                href: addressWith({ project: row.key }),
                ...(showReceipts === undefined
                  ? {}
                  : { onReceipts: () => showReceipts(row.key ?? '', { project: row.key ?? '' }) }),
              }))}
            />
            {isStored ? (
              <ToolCalls tools={answer.tools.tools} />
            ) : (
              <ToolList address={address} tools={answer.tools.tools} />
            )}
          </div>
          <TopLists top={answer.top} onReceipts={showReceipts} />
          <p className="quiet usage-foot">Prices of {answer.models.pricesVersion}. Every message is counted once.</p>
        </div>
      )}
      {receiptsOf === null ? null : <ReceiptsDrawer of={receiptsOf} onClose={() => setReceiptsOf(null)} />}
    </PageFrame>
  );
}

async function askAll(client: Client, address: UsageAddress, options: Abortable) {
  const query = rangeQuery(address);
  const [days, models, projects, tools, top, cache, blocks] = await Promise.all([
    askUsage(client, { ...query, by: 'daily' }, options),
    askUsage(client, { ...query, by: 'model' }, options),
    askUsage(client, { ...query, by: 'project' }, options),
    readJson(client.usage.tools.$get({ query }, options)),
    readJson(client.usage.top.$get({ query }, options)),
    readJson(client.usage.cache.$get({ query }, options)),
    askUsage(client, { ...projectQuery(address), by: 'blocks', active: true }, options),
  ]);
  const time = await askTime(client, address, days, options);
  return { time, days, models, projects, tools, top, cache, block: blocks.rows[0] ?? null };
}

/** More bars than this are too thin on a phone. */
const maxDays = 100;

async function askTime(
  client: Client,
  address: UsageAddress,
  days: UsageAnswer,
  options: Abortable,
): Promise<UsageAnswer> {
  const by = address.period ?? (days.rows.length <= maxDays ? 'daily' : 'weekly');
  return by === 'daily' ? days : askUsage(client, { ...rangeQuery(address), by }, options);
}

function askUsage(client: Client, query: UsageQuery, options: Abortable): Promise<UsageAnswer> {
  return readJson(client.usage.$get({ query }, options));
}

/** Shows the messages of a number. */
type ShowReceipts = ((title: string, query: UsageQuery) => void) | undefined;

function Totals({ answer, onReceipts }: { readonly answer: UsageAnswer; readonly onReceipts: ShowReceipts }) {
  const { totals, unpricedModels } = answer;
  const facts: readonly (readonly [string, string, string])[] = [
    ['Cost', costText(totals), 'cost'],
    ['Input', formatTokens(inputOf(totals)), ''],
    ['Output', `${totals.outputIsLowerBound ? '≥ ' : ''}${formatTokens(totals.outputTokens)}`, ''],
    ['Cache hit rate', totals.cacheHitRate === null ? '–' : `${(100 * totals.cacheHitRate).toFixed(1)} %`, ''],
    ['Messages', formatCount(totals.messages), ''],
  ];
  return (
    <section className="totals" aria-label="In total">
      <dl>
        {facts.map(([name, value, className]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={className}>{value}</dd>
          </div>
        ))}
      </dl>
      {onReceipts === undefined ? null : (
        <button type="button" onClick={() => onReceipts('everything in this range', {})}>
          Receipts
        </button>
      )}
      {unpricedModels.length === 0 ? null : (
        <p className="quiet">
          No price is known for <Words text={unpricedModels.join(', ')} />:{' '}
          {counted(totals.unpricedMessages, 'message')} with {counted(totals.unpricedTokens, 'token')} are not in the
          cost.
        </p>
      )}
    </section>
  );
}

function barOf(sum: UsageSumView, name: string, measure: Measure, shorten = (whole: string): string => whole) {
  const rate = sum.cacheHitRate;
  return {
    key: name,
    name: shorten(name),
    title: name,
    value: amountOf(sum, measure),
    text: amountText(sum, measure),
    facts: rate === null ? '' : `${Math.round(100 * rate)} % cached`,
  };
}

export interface TopListsProps {
  readonly top: TopAnswer;
  readonly onReceipts: ShowReceipts;
}

function TopLists({ top, onReceipts }: TopListsProps) {
  return (
    <div className="top-lists">
      <section aria-label="Most expensive sessions">
        <h2>Most expensive sessions</h2>
        <ol>
          {top.sessions.map((session) => {
            const title = session.title ?? (isHiddenProject(session.project) ? 'Title not shared' : 'Untitled session');
            return (
              <li key={session.key}>
                <span className="cost">{formatKnownMoney(session.costMicroUsd, session.unpricedMessages > 0)}</span>
                <a href={`/s/${encodeURIComponent(session.key)}`} data-stop="">
                  <Words text={title} />
                </a>
                <span className="quiet">
                  <Words text={shortProject(session.project)} /> · {counted(session.messages, 'message')}
                </span>
                {onReceipts === undefined ? null : (
                  <button type="button" onClick={() => onReceipts(title, { session: session.key })}>
                    Receipts
                    <span className="unseen">
                      {' '}
                      of <Words text={title} />
                    </span>
                  </button>
                )}
              </li>
            );
          })}
        </ol>
      </section>
      {top.turns.length === 0 ? null : <TopTurns turns={top.turns} />}
    </div>
  );
}

function TopTurns({ turns }: { readonly turns: TopAnswer['turns'] }) {
  return (
    <section aria-label="Most expensive turns">
      <h2>Most expensive turns</h2>
      <ol>
        {turns.map((turn) => (
          <li key={`${turn.key} ${turn.line}`}>
            <span className="cost">{formatKnownMoney(turn.costMicroUsd, turn.unpricedMessages > 0)}</span>
            <a href={writeAddress(turn.key, { line: turn.line })} data-stop="">
              <Words text={turn.prompt === '' ? 'Before the first prompt' : turn.prompt} />
            </a>
            <span className="quiet">
              <Words text={turn.title ?? 'Untitled session'} /> · {formatTime(turn.time)} ·{' '}
              {counted(turn.messages, 'message')}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
