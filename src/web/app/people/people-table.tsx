// The tables of people and of groups. On a phone a row is a name with its facts below it.
import type { ReactNode } from 'react';
import { counted, formatAge, formatCount, formatTokens, neutralise } from '../../../base/text/index.ts';
import type { GroupRow, PersonRow, PersonSumsView } from '../../wire/index.ts';
import { addressWith, useStatus } from '../page/index.ts';
import { formatKnownMoney, formatTime } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import { defaultSort, type PeopleAddress, type PeopleSort, sessionsAddress } from './people-address.ts';

const columns: readonly (readonly [className: string, title: string, sort: PeopleSort | null])[] = [
  ['name', 'Person', 'name'],
  ['groups', 'Groups', null],
  ['pushed', 'Last push', 'pushed'],
  ['number', 'Sessions', 'sessions'],
  ['number', 'Prompts', 'prompts'],
  ['number', 'Tokens', 'tokens'],
  ['number', 'Cost', 'cost'],
];

export function PeopleTable({
  rows,
  address,
}: {
  readonly rows: readonly PersonRow[];
  readonly address: PeopleAddress;
}) {
  const namesPeople = useStatus()?.store?.namesPeople === true;
  const now = Date.now();
  const most = mostCost(rows);
  return (
    <table className="people-table">
      <caption className="unseen">People</caption>
      <thead>
        <tr>
          {columns.map(([className, title, sort]) => (
            <Head key={title} className={className} title={title} sort={sort} address={address} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row" className="name">
              <a href={namesPeople ? sessionsAddress(row.name) : '/'} data-stop="">
                <Words text={row.name} />
              </a>
              <Share of={row} most={most} />
            </th>
            <td className="groups">
              <Words text={row.groups.join(', ')} />
            </td>
            <LastPush machines={row.machines} now={now} />
            <Numbers row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function GroupTable({ rows }: { readonly rows: readonly GroupRow[] }) {
  const most = mostCost(rows);
  return (
    <table className="people-table">
      <caption className="unseen">Groups</caption>
      <thead>
        <tr>
          {['Group', 'Led by', 'People', 'Sessions', 'Prompts', 'Tokens', 'Cost'].map((title, index) => (
            <th key={title} scope="col" className={['name', 'groups'][index] ?? 'number'}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row" className="name">
              <Words text={row.name} />
              <Share of={row} most={most} />
            </th>
            <td className="groups">
              <Words text={row.leads.join(', ')} />
            </td>
            <Fact value={formatCount(row.people)} unit={row.people === 1 ? 'person' : 'people'} />
            <Numbers row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface HeadProps {
  readonly className: string;
  readonly title: string;
  readonly sort: PeopleSort | null;
  readonly address: PeopleAddress;
}

function Head({ className, title, sort, address }: HeadProps) {
  if (sort === null)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  const isSorted = address.sort === sort;
  const isUp = (sort === 'name') !== address.reverse;
  const next = { sort: sort === defaultSort ? null : sort, reverse: isSorted && !address.reverse ? '1' : null };
  return (
    <th scope="col" className={className} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}>
      <a href={addressWith(next)}>
        {title}
        <span aria-hidden="true">{isSorted ? (isUp ? ' ↑' : ' ↓') : ''}</span>
      </a>
    </th>
  );
}

function LastPush({ machines, now }: { readonly machines: PersonRow['machines']; readonly now: number }) {
  const [last, ...others] = machines;
  if (last === undefined) return <td className="pushed quiet">never</td>;
  const tip = machines.map(({ name, pushedAt }) => `${name}: ${formatTime(pushedAt)}`).join('\n');
  return (
    <td className="pushed" title={neutralise(tip)}>
      {formatAge(last.pushedAt, now)}
      <span className="quiet">
        {' · '}
        <Words text={last.name} />
        {others.length === 0 ? '' : ` and ${counted(others.length, 'other')}`}
      </span>
    </td>
  );
}

function Numbers({ row }: { readonly row: PersonSumsView }): ReactNode {
  const cost = row.costMicroUsd === null ? '–' : formatKnownMoney(row.costMicroUsd, row.costIsPart);
  return (
    <>
      <Fact value={formatCount(row.sessions)} unit={row.sessions === 1 ? 'session' : 'sessions'} />
      <Fact value={formatCount(row.prompts)} unit={row.prompts === 1 ? 'prompt' : 'prompts'} />
      <Fact value={formatTokens(row.tokens)} unit="tokens" />
      <td className="number cost">{cost}</td>
    </>
  );
}

/** The unit is shown where there are no column heads. */
function Fact({ value, unit }: { readonly value: string; readonly unit: string }) {
  return (
    <td className="number">
      {value}
      <span className="unit"> {unit}</span>
    </td>
  );
}

function mostCost(rows: readonly PersonSumsView[]): number {
  return Math.max(1, ...rows.map(({ costMicroUsd }) => costMicroUsd ?? 0));
}

function Share({ of, most }: { readonly of: PersonSumsView; readonly most: number }) {
  return (
    <svg className="people-share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect className="bar" width={(100 * (of.costMicroUsd ?? 0)) / most} height="1" />
    </svg>
  );
}
