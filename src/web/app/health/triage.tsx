// The sessions that need something, by how soon: those that cannot be resumed, those that lose history, those that are
// about to be deleted, and the rest. Each has one action; the codes of doctor are folded away.
import { useCallback, useEffect, useMemo, useState } from 'react';
import { counted, formatDuration } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { DoctorRow, LibraryDoctorAnswer, SessionRow } from '../../wire/index.ts';
import { subjectOf, useActionHost } from '../actions/index.ts';
import { shortProject } from '../library/index.ts';
import { type Abortable, addressWith, Empty, useAnswer, useEvent, useServices, useThrottled } from '../page/index.ts';
import { Words } from '../session/text/index.ts';
import { ReachBar } from './reach-bar.tsx';
import { RepairDialog } from './repair-dialog.tsx';
import { groupRows, notArchived } from './triage-groups.ts';

export interface TriageProps {
  readonly answer: LibraryDoctorAnswer;
  /** Only sessions with this kind of damage. */
  readonly code: string | null;
  onChanged(): void;
}

export function Triage({ answer, code, onChanged }: TriageProps) {
  const [repaired, setRepaired] = useState<DoctorRow | null>(null);
  const expiring = useExpiring(answer.state);
  const rows = useMemo(
    () => answer.sessions.filter(({ codes }) => code === null || codes.some((each) => each.code === code)),
    [answer, code],
  );
  const groups = groupRows(rows);
  const isEmpty = rows.length === 0 && (expiring.length === 0 || code !== null);
  return (
    <>
      {isEmpty ? <Nothing answer={answer} code={code} /> : null}
      <Group
        name="Cannot be resumed"
        note="Claude Code does not load these sessions. A repair writes one that it loads."
        rows={groups.fatal}
        onRepair={setRepaired}
      />
      <Group
        name="Loses history"
        note="Resuming one of these leaves out part of the conversation, without a word about it."
        rows={groups.loss}
        onRepair={setRepaired}
      />
      {code === null || code === 'F-expiring' ? <Expiring rows={expiring} /> : null}
      <Group
        name="Notes"
        note="Nothing is lost when one of these is resumed."
        rows={groups.notes}
        most={notesShown}
        onRepair={setRepaired}
      />
      {repaired === null ? null : (
        <RepairDialog row={repaired} onChanged={onChanged} onClose={() => setRepaired(null)} />
      )}
    </>
  );
}

const notesShown = 8;
const rowsShown = 200;

function Nothing({ answer, code }: Pick<TriageProps, 'answer' | 'code'>) {
  return answer.state === 'running' ? (
    <p className="state quiet">Nothing found so far.</p>
  ) : (
    <Empty>
      <p>{nothingText(answer, code)}</p>
    </Empty>
  );
}

function nothingText({ sessionsDone, unread, state }: LibraryDoctorAnswer, code: string | null): string {
  if (code !== null) return 'No session has this damage.';
  if (sessionsDone === 0) return 'No session was examined.';
  return unread.length === 0 && state === 'done'
    ? 'Every session is sound.'
    : 'Every session that was examined is sound.';
}

interface GroupProps {
  readonly name: string;
  readonly note: string;
  readonly rows: readonly DoctorRow[];
  /** So many are shown at first. */
  readonly most?: number;
  onRepair(row: DoctorRow): void;
}

function Group({ name, note, rows, most = rowsShown, onRepair }: GroupProps) {
  const [shown, setShown] = useState(most);
  if (rows.length === 0) return null;
  return (
    <section className="doctor-list" aria-label={name}>
      <h2>
        {name} <span className="quiet">{rows.length}</span>
      </h2>
      <p className="quiet">{note}</p>
      <ol>
        {rows.slice(0, shown).map((row) => (
          <TriageItem key={row.key} row={row} onRepair={onRepair} />
        ))}
      </ol>
      {rows.length > shown ? (
        <button type="button" className="more" onClick={() => setShown(shown + rowsShown)}>
          Show {Math.min(rowsShown, rows.length - shown)} more
        </button>
      ) : null}
    </section>
  );
}

function TriageItem({ row, onRepair }: { readonly row: DoctorRow; onRepair(row: DoctorRow): void }) {
  return (
    <li className={`triage-row severity-${row.severity}`}>
      <a href={`/s/${encodeURIComponent(row.key)}`} data-stop="" className="triage-title">
        <Words text={row.title ?? row.id} />
      </a>
      <span className="triage-fact">
        <ReachBar reach={row.reachable} name="Resuming loads" />
      </span>
      {row.isRepairable ? (
        <button type="button" className="triage-action" onClick={() => onRepair(row)}>
          Repair…
        </button>
      ) : (
        <a className="triage-action triage-link" href={addressWith({ session: row.key })}>
          What helps
        </a>
      )}
      <details className="doctor-facts">
        <summary>
          <Words text={shortProject(row.project)} /> · {reasonOf(row)}
        </summary>
        <p>
          <Words text={row.effect} />
        </p>
        <ul>
          {row.codes.map(({ code, title, count }) => (
            <li key={code}>
              <code>{code}</code> {title}
              {count === 1 ? '' : ` × ${count}`}
            </li>
          ))}
        </ul>
        <a href={addressWith({ session: row.key })}>All findings</a>
      </details>
    </li>
  );
}

function reasonOf({ codes }: DoctorRow): string {
  return (codes.find(({ code }) => code !== 'F-expiring') ?? codes[0])?.title ?? '';
}

const expiringAsked = 500;
const refreshMs = 1_000;

/** The soonest first. What the archive has is safe, and not in the list. */
function useExpiring(state: LibraryDoctorAnswer['state']): readonly SessionRow[] {
  const { client } = useServices();
  const ask = useCallback(
    (options: Abortable) => {
      const query = { only: 'expiring', sort: 'expires', limit: expiringAsked } as const;
      return readJson(client.sessions.$get({ query }, options));
    },
    [client],
  );
  const { answer, askAgain } = useAnswer(ask);
  useEvent('sessions', useThrottled(askAgain, refreshMs));
  // biome-ignore lint/correctness/useExhaustiveDependencies: an examination has ended
  useEffect(askAgain, [askAgain, state]);
  return useMemo(() => notArchived(answer?.rows ?? []), [answer]);
}

function Expiring({ rows }: { readonly rows: readonly SessionRow[] }) {
  const host = useActionHost();
  if (rows.length === 0) return null;
  const now = Date.now();
  return (
    <section className="doctor-list" aria-label="Expiring">
      <h2>
        Expiring <span className="quiet">{rows.length}</span>
      </h2>
      <p className="quiet">
        Claude Code deletes these soon. The archive keeps a copy that can be read and restored.{' '}
        {rows.length === 1 ? null : (
          <button type="button" onClick={() => host.open('archive', rows.map(subjectOf))}>
            Archive all {rows.length}…
          </button>
        )}
      </p>
      <ol>
        {rows.slice(0, rowsShown).map((row) => (
          <li key={row.key} className="triage-row severity-warn">
            <a href={`/s/${encodeURIComponent(row.key)}`} data-stop="" className="triage-title">
              <Words text={row.title ?? row.firstPrompt ?? row.id} />
            </a>
            <span className="triage-fact expiry-mark">{leftText((row.expiresAt ?? now) - now)}</span>
            <button type="button" className="triage-action" onClick={() => host.open('archive', [subjectOf(row)])}>
              Archive…
            </button>
            <p className="quiet doctor-facts">
              <Words text={shortProject(row.project)} />
              {row.archived === 'stale' ? ' · the archive has an earlier state of it' : ''}
            </p>
          </li>
        ))}
      </ol>
      {rows.length > rowsShown ? <p className="quiet">The {rowsShown} soonest are shown.</p> : null}
    </section>
  );
}

const dayMs = 86_400_000;

function leftText(leftMs: number): string {
  if (leftMs <= 0) return 'at the next start';
  return leftMs < dayMs ? `in ${formatDuration(leftMs)}` : `in ${counted(Math.floor(leftMs / dayMs), 'day')}`;
}
