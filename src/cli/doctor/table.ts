// A report on all sessions → the table: the sessions with findings, worst first, how often each class was found, and
// what to do next.
import path from 'node:path';
import { counted, formatCount } from '../../base/text/index.ts';
import { type DamageCode, damageClasses, type Finding, type Severity, severities } from '../../doctor/checks/index.ts';
import type { Reachable } from '../../session/facts/index.ts';
import type { DiskProblem } from '../../store/index.ts';
import { type Cell, type Column, renderTable, shortIds, type TableOptions, wrapSpans } from '../render/index.ts';
import { severityPaint } from './render.ts';

const maxRows = 40;

export interface DoctorRow {
  readonly sessionId: string;
  readonly path: string;
  readonly project: string;
  /** The worst finding; `undefined` if there is none. */
  readonly severity: Severity | undefined;
  readonly reachable: Reachable;
  readonly reachableOld: Reachable;
  readonly codes: ReadonlyMap<DamageCode, number>;
}

export interface LibraryReport {
  /** Worst first. */
  readonly rows: readonly DoctorRow[];
  /** What is wrong with the folders themselves. */
  readonly folders: readonly Finding[];
  readonly counts: ReadonlyMap<DamageCode, { severity: Severity; findings: number; sessions: number }>;
  /** Files and folders that could not be examined. */
  readonly unread: readonly DiskProblem[];
}

export function doctorTable(report: LibraryReport, options: TableOptions): string {
  const shown = report.rows.filter(({ severity }) => severity !== undefined && severity !== 'info');
  const sections = [
    ...(shown.length === 0 ? [] : [sessionTable(report.rows, shown.slice(0, maxRows), options)]),
    ...(report.folders.length === 0 ? [] : [folderTable(report, options)]),
    ...(report.counts.size === 0 ? [] : [countTable(report, options)]),
    summary(report, shown, options),
  ];
  return `${sections.join('\n\n')}\n`;
}

function sessionTable(all: readonly DoctorRow[], rows: readonly DoctorRow[], options: TableOptions): string {
  const ids = shortIds(all.map((row) => row.sessionId));
  const columns: readonly Column[] = [
    { header: 'WORST' },
    { header: 'LOADED', align: 'right' },
    { header: 'SESSION', minWidth: 8 },
    { header: 'FINDINGS', flex: true, minWidth: 12 },
    { header: 'PROJECT', flex: true, minWidth: 6 },
  ];
  const cells = rows.map(({ severity = 'info', reachable, sessionId, codes, project }): Cell[] => [
    { text: severity, paint: severityPaint(options.style, severity) },
    `${formatCount(reachable.loaded)}/${formatCount(reachable.of)}`,
    ids.get(sessionId) ?? sessionId,
    [...codes].map(([code, count]) => (count === 1 ? code : `${code} ×${count}`)).join(' '),
    { text: project, paint: options.style.muted },
  ]);
  return renderTable(columns, cells, options);
}

function folderTable({ folders }: LibraryReport, options: TableOptions): string {
  const columns: readonly Column[] = [
    { header: 'FOLDERS' },
    { header: 'WHAT', flex: true },
    { header: 'WHERE', flex: true },
  ];
  const cells = folders
    .slice(0, maxRows)
    .map(({ code, severity, message, file }): Cell[] => [
      { text: code, paint: severityPaint(options.style, severity) },
      message,
      path.relative(path.dirname(path.dirname(file)), file),
    ]);
  return renderTable(columns, cells, options);
}

function countTable({ counts }: LibraryReport, options: TableOptions): string {
  const columns: readonly Column[] = [
    { header: 'FOUND', align: 'right' },
    { header: 'SESSIONS', align: 'right' },
    { header: 'CLASS' },
    { header: 'WHAT IT IS', flex: true },
  ];
  const sorted = [...counts].sort(
    ([, a], [, b]) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.sessions - a.sessions,
  );
  const cells = sorted.map(([code, { severity, findings, sessions }]): Cell[] => [
    formatCount(findings),
    formatCount(sessions),
    { text: code, paint: severityPaint(options.style, severity) },
    damageClasses[code].title,
  ]);
  return renderTable(columns, cells, options);
}

function summary({ rows, unread }: LibraryReport, shown: readonly DoctorRow[], { style, width }: TableOptions): string {
  const bad = shown.filter(({ severity }) => severity === 'fatal' || severity === 'loss');
  const left = shown.length - Math.min(shown.length, maxRows);
  const more = left === 0 ? '' : `; ${formatCount(left)} more are not shown, --json lists all`;
  const cost =
    bad.length === 0
      ? 'none loses anything on a resume'
      : `${formatCount(bad.length)} of them ${bad.length === 1 ? 'loses' : 'lose'} something or cannot be continued`;
  const next = shown[0] === undefined ? '' : `; \`clew doctor ${shown[0].sessionId.slice(0, 8)}\` explains the first`;
  const missed =
    unread.length === 0
      ? ''
      : `; ${counted(unread.length, 'file or folder', 'files and folders')} could not be examined`;
  const text =
    rows.length === 0
      ? `no session was examined${missed}`
      : `${counted(rows.length, 'session')}, ${cost}${missed}${more}${next}`;
  return wrapSpans([{ text, paint: style.muted }], width)
    .map((line) => line.text)
    .join('\n');
}
