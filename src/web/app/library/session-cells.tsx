// The cells of a session in the table: its title with what marks it, and its facts.
import { memo } from 'react';
import { counted, formatAge, formatBytes, formatCount, formatDuration, neutralise } from '../../../base/text/index.ts';
import type { PullRequestLink, SessionRow, SharedLevel } from '../../wire/index.ts';
import { formatKnownMoney, formatTime } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import { isHiddenProject, projectName } from './project-list.tsx';
import { RowMenu, SelectBox } from './select/index.ts';
import { StarButton } from './star-button.tsx';

export interface SessionCellsProps {
  readonly row: SessionRow | undefined;
  readonly now: number;
  /** The index is not complete yet. */
  readonly isReading: boolean;
  /** Its forks are listed below it. */
  readonly isOpen: boolean;
  /** There is a column for the person of a session. */
  readonly namesPeople: boolean;
  onToggle(key: string): void;
}

export const SessionCells = memo(function SessionCells(props: SessionCellsProps) {
  const { row, now, isReading, isOpen, namesPeople, onToggle } = props;
  if (row === undefined) return <td className="cell-title quiet">…</td>;
  const usedAt = row.endedAt ?? row.changedAt;
  const unknown = isReading ? '…' : '–';
  const isStored = row.shared !== null;
  const facts: readonly (readonly [string, string, string])[] = [
    ...(namesPeople ? [['person', row.person ?? '', ''] as const] : []),
    ['project', projectName(row), neutralise(row.project)],
    ['branch', row.gitBranch ?? '', row.gitBranch === null ? '' : neutralise(row.gitBranch)],
    ['model', row.modelName ?? '', row.model === null ? '' : neutralise(row.model)],
    ['age', formatAge(usedAt, now), formatTime(usedAt)],
    ['turns', row.turns === null ? unknown : formatCount(row.turns), ''],
    ['size', formatBytes(row.sizeBytes), ''],
    ['cost', row.costMicroUsd === null ? unknown : formatKnownMoney(row.costMicroUsd, row.costIsPart), ''],
  ];
  return (
    <>
      <td className="cell-title">
        <SelectBox row={row} />
        {isStored ? null : <StarButton row={row} />}
        <a href={`/s/${encodeURIComponent(row.key)}`} data-stop="" data-session={row.key} className="title-link">
          <Words text={titleOf(row, isReading)} />
        </a>
        {row.tag === null ? null : (
          <span className="tag">
            <Words text={row.tag} />
          </span>
        )}
        <PullRequests links={row.pullRequests} />
        <Forks row={row} now={now} isOpen={isOpen} onToggle={onToggle} />
        <SessionMarks row={row} now={now} />
        {isStored ? null : <RowMenu row={row} />}
      </td>
      {facts.map(([name, text, tip]) => (
        <td key={name} className={`cell-${name}`} title={tip === '' ? undefined : tip}>
          <Words text={text} />
          {name === 'turns' && row.turns !== null ? (
            <span className="unit"> {row.turns === 1 ? 'turn' : 'turns'}</span>
          ) : null}
        </td>
      ))}
    </>
  );
});

function titleOf(row: SessionRow, isReading: boolean): string {
  if (row.title === null && isHiddenProject(row.project)) return 'Title not shared';
  return row.title ?? row.firstPrompt ?? (isReading ? `Session ${row.id.slice(0, 8)}` : 'Untitled session');
}

function PullRequests({ links }: { readonly links: readonly PullRequestLink[] }) {
  const last = links.at(-1);
  if (last === undefined) return null;
  const name = `${last.repository ?? ''}${last.number === null ? '' : `#${last.number}`}`;
  const text = `${last.number === null ? 'PR' : `#${last.number}`}${links.length === 1 ? '' : ` +${links.length - 1}`}`;
  const tip = neutralise(
    links.map(({ url, repository, number }) => url ?? `${repository ?? ''}#${number ?? ''}`).join('\n'),
  );
  if (last.url === null) return <span className="pull quiet">{text}</span>;
  return (
    <a
      className="pull"
      href={last.url}
      target="_blank"
      rel="noopener noreferrer"
      title={tip}
      aria-label={`Pull request ${neutralise(name)}`}
    >
      {text}
    </a>
  );
}

type ForksProps = Pick<SessionCellsProps, 'now' | 'isOpen' | 'onToggle'> & { readonly row: SessionRow };

function Forks({ row, now, isOpen, onToggle }: ForksProps) {
  if (row.forks === 0) return null;
  const age = row.forksUsedAt === null ? '' : ` · ${formatAge(row.forksUsedAt, now)}`;
  return (
    <button
      type="button"
      className="forks"
      aria-expanded={isOpen}
      title={row.forksUsedAt === null ? undefined : `Newest fork used ${formatTime(row.forksUsedAt)}`}
      onClick={() => onToggle(row.key)}
    >
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
      {counted(row.forks, 'fork')}
      {isOpen ? '' : age}
    </button>
  );
}

function SessionMarks({ row, now }: { readonly row: SessionRow; readonly now: number }) {
  const damage = damageOf(row);
  return (
    <>
      {row.isLive ? <span className="mark live-mark">live</span> : null}
      {row.shared === null || hasText(row.shared) ? null : (
        <span className="mark quiet">{row.shared === 'metrics' ? 'only metrics' : 'without its text'}</span>
      )}
      {damage === null ? null : row.shared !== null ? (
        <span className="mark damage-mark">{damage}</span>
      ) : (
        <a className="mark damage-mark" href={`/health?session=${encodeURIComponent(row.key)}`}>
          {damage}
        </a>
      )}
      {row.isOnDisk ? null : <span className="mark quiet">{goneText(row)}</span>}
      {row.expiresAt === null ? null : <span className="mark expiry-mark">{expiryText(row.expiresAt - now)}</span>}
    </>
  );
}

function hasText(shared: SharedLevel): boolean {
  return shared === 'text' || shared === 'files';
}

function goneText({ left }: SessionRow): string {
  if (left === null) return 'only in the archive';
  const facts = [
    left.prompts === 0 ? '' : counted(left.prompts, 'prompt'),
    left.fileVersions === 0 ? '' : counted(left.fileVersions, 'file version'),
    left.agents === 0 ? '' : counted(left.agents, 'sub-agent'),
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? 'nothing readable left' : `${facts.join(', ')} left`;
}

function damageOf({ damage, severity }: SessionRow): string | null {
  if (severity === 'fatal') return 'cannot be resumed';
  if (severity === 'loss') return 'resuming loses work';
  if (damage === null || damage === 0) return null;
  return `${counted(damage, 'damaged line')}${severity === null ? ', not examined' : ''}`;
}

const dayMs = 86_400_000;

function expiryText(leftMs: number): string {
  if (leftMs <= 0) return 'deleted at the next start';
  if (leftMs < dayMs) return `deleted in ${formatDuration(leftMs)}`;
  return `deleted in ${counted(Math.floor(leftMs / dayMs), 'day')}`;
}
