// The page of people and groups of a store: what each of them did in a range of days, and when their machines last pushed.
import { useCallback, useMemo } from 'react';
import { counted, formatCount, formatTokens } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { GroupRow, PeopleAnswer, PersonRow, PersonSumsView } from '../../wire/index.ts';
import {
  type Abortable,
  addressWith,
  dayBefore,
  Empty,
  goTo,
  PageFrame,
  ProblemNote,
  useAnswer,
  useGeneration,
  usePlace,
  useServices,
  useStatus,
  Waiting,
} from '../page/index.ts';
import { formatKnownMoney } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import {
  defaultRange,
  defaultSort,
  inOrder,
  type PeopleAddress,
  type PeopleSort,
  type Range,
  ranges,
  readPeopleAddress,
  sorts,
} from './people-address.ts';
import { GroupTable, PeopleTable } from './people-table.tsx';

export function PeoplePage() {
  const { client } = useServices();
  const { search } = usePlace();
  const address = useMemo(() => readPeopleAddress(search), [search]);
  const { range } = address;
  const ask = useCallback(
    (options: Abortable) => {
      const since = firstDay(range);
      return readJson(client.people.$get({ query: since === undefined ? {} : { since } }, options));
    },
    [client, range],
  );
  const { answer, problem, isAsking, askAgain } = useAnswer(ask);
  useGeneration(askAgain);
  return (
    <PageFrame title="People" className="usage people" isReady={answer !== null}>
      <PeopleTools address={address} />
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <Waiting what="Counting" /> : null}
      {answer === null ? null : (
        <div aria-busy={isAsking}>
          <Found answer={answer} address={address} />
        </div>
      )}
    </PageFrame>
  );
}

/** Today is one of the days; `undefined`: all time. */
function firstDay(wanted: Range): string | undefined {
  const days = ranges.find(({ range }) => range === wanted)?.days ?? null;
  return days === null ? undefined : dayBefore(days - 1);
}

function Found({ answer, address }: { readonly answer: PeopleAnswer; readonly address: PeopleAddress }) {
  const people = inOrder<PersonRow>(answer.people, address);
  // Groups have no machines.
  const groups = inOrder<GroupRow>(
    answer.groups,
    address.sort === 'pushed' ? { sort: 'name', reverse: false } : address,
  );
  if (people.length === 0)
    return (
      <Empty>
        <p>The store shows nobody here.</p>
      </Empty>
    );
  return (
    <>
      <Totals people={people} groups={groups} />
      <section>
        <h2>People</h2>
        <PeopleTable rows={people} address={address} />
      </section>
      {groups.length === 0 ? null : (
        <section>
          <h2>Groups</h2>
          <GroupTable rows={groups} />
          <p className="quiet">Someone in several groups counts in each of them.</p>
        </section>
      )}
      <Whose />
    </>
  );
}

/** Why there are no others. */
function Whose() {
  const people = useStatus()?.store?.people;
  if (people === undefined || people === 'everyone')
    return <p className="quiet">Only people are listed of whom your role sees metrics.</p>;
  return (
    <p className="quiet">
      This page was opened for <Words text={people === 'me' ? 'your own sessions' : people} />:{' '}
      <code>clew open --store --everyone</code> shows everyone of whom your role sees metrics.
    </p>
  );
}

function Totals({ people, groups }: { readonly people: readonly PersonRow[]; readonly groups: readonly GroupRow[] }) {
  const sumOf = (pick: (row: PersonSumsView) => number): number => people.reduce((sum, row) => sum + pick(row), 0);
  const isPart = people.some(({ costIsPart }) => costIsPart);
  const facts: readonly (readonly [string, string, string])[] = [
    [
      'Cost',
      formatKnownMoney(
        sumOf(({ costMicroUsd }) => costMicroUsd ?? 0),
        isPart,
      ),
      'cost',
    ],
    ['Tokens', formatTokens(sumOf(({ tokens }) => tokens)), ''],
    ['Sessions', formatCount(sumOf(({ sessions }) => sessions)), ''],
    ['Prompts', formatCount(sumOf(({ prompts }) => prompts)), ''],
    ['People', formatCount(people.length), ''],
  ];
  return (
    <section
      className="totals"
      aria-label={`In total, ${counted(people.length, 'person', 'people')}, ${counted(groups.length, 'group')}`}
    >
      <dl>
        {facts.map(([name, value, className]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={className}>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const sortNames: Readonly<Record<PeopleSort, string>> = {
  name: 'Name',
  pushed: 'Last push',
  sessions: 'Sessions',
  prompts: 'Prompts',
  tokens: 'Tokens',
  cost: 'Cost',
};

function PeopleTools({ address }: { readonly address: PeopleAddress }) {
  return (
    <div className="list-tools">
      <fieldset className="filters">
        <legend className="unseen">Range</legend>
        {ranges.map(({ range, name }) => (
          <button
            key={range}
            type="button"
            aria-pressed={address.range === range}
            onClick={() => goTo(addressWith({ range: range === defaultRange ? null : range }))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <label className="sort people-sort">
        <span className="quiet">Sort</span>
        <select
          value={address.sort}
          onChange={({ currentTarget: { value } }) =>
            goTo(addressWith({ sort: value === defaultSort ? null : value, reverse: null }))
          }
        >
          {sorts.map((sort) => (
            <option key={sort} value={sort}>
              {sortNames[sort]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
