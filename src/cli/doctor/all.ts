// clew doctor --all: examines every session below the roots, one after the other; then prints the sessions with
// findings, worst first, and how often each class was found. Only a row of each session is kept.
import { exitCodes } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { type DamageCode, type Finding, isSevere, type Severity, severities } from '../../doctor/checks/index.ts';
import { diagnoseLibrary, findFolderDamage, type LibraryDiagnosis } from '../../doctor/diagnosis/index.ts';
import type { JudgedSession } from '../../library/index/index.ts';
import { discoverSessions, projectsFolders } from '../../store/index.ts';
import type { CommandInput } from '../command/index.ts';
import { rootsOf } from '../input/index.ts';
import { showByteProgress, terminalWidth, writeOut } from '../terminal/index.ts';
import { findingJson, keepVerdicts } from './json.ts';
import { type DoctorRow, doctorTable, type LibraryReport } from './table.ts';

export async function runAll(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  // The demo's folders were never on this disk.
  const folders = flags.demo === true ? [] : projectsFolders(rootsOf(input));
  const { sessions, problems } = await discoverSessions(rootsOf(input));
  input.unread.add(problems, { withMissing: true });
  const progress = showByteProgress(io.stderr, 'examining');
  progress.start(sessions.reduce((sum, session) => sum + session.sizeBytes, 0));
  const rows: DoctorRow[] = [];
  const judged: JudgedSession[] = [];
  const counts = new Map<DamageCode, { severity: Severity; findings: number; sessions: number }>();
  const inFolders = findFolderDamage(folders);
  try {
    for await (const { session, judged: one, diagnosis, problems } of diagnoseLibrary(sessions, {
      folders,
      nowMs: Date.now(),
    })) {
      progress.add(session.sizeBytes);
      input.unread.add(problems);
      if (one !== undefined) judged.push(one);
      if (diagnosis === undefined) continue;
      rows.push(rowOf(session, diagnosis));
      countCodes(counts, diagnosis.findings);
    }
  } finally {
    progress.end();
  }
  keepVerdicts(io, judged);
  for (const finding of inFolders) countCodes(counts, [finding]);
  rows.sort(worstFirst);
  const report = { rows, folders: inFolders, counts, unread: input.unread.problems };
  if (flags.json === true) await writeOut([`${jsonText(reportJson(report), 2)}\n`], io);
  else {
    const options = { width: terminalWidth(io.stdout, io.env), style: io.style };
    await writeOut([doctorTable(report, options)], { ...io, pager: true });
  }
  const isBad = inFolders.some(isSevere) || rows.some(({ severity }) => severity === 'fatal' || severity === 'loss');
  return isBad ? exitCodes.failed : exitCodes.ok;
}

function rowOf(session: LibraryDiagnosis['session'], diagnosis: NonNullable<LibraryDiagnosis['diagnosis']>): DoctorRow {
  const codes = new Map<DamageCode, number>();
  for (const { code } of diagnosis.findings) codes.set(code, (codes.get(code) ?? 0) + 1);
  return {
    sessionId: session.sessionId,
    path: session.path,
    project: session.slug,
    severity: diagnosis.findings[0]?.severity,
    reachable: diagnosis.reachable,
    reachableOld: diagnosis.reachableOld,
    codes,
  };
}

function countCodes(
  counts: Map<DamageCode, { severity: Severity; findings: number; sessions: number }>,
  findings: readonly Finding[],
): void {
  const seen = new Set<DamageCode>();
  for (const { code, severity } of findings) {
    const known = counts.get(code) ?? { severity, findings: 0, sessions: 0 };
    const isWorse = severities.indexOf(severity) < severities.indexOf(known.severity);
    counts.set(code, {
      severity: isWorse ? severity : known.severity,
      findings: known.findings + 1,
      sessions: known.sessions + (seen.has(code) ? 0 : 1),
    });
    seen.add(code);
  }
}

function worstFirst(a: DoctorRow, b: DoctorRow): number {
  const rank = ({ severity }: DoctorRow): number =>
    severity === undefined ? severities.length : severities.indexOf(severity);
  const lost = ({ reachable }: DoctorRow): number => reachable.of - reachable.loaded;
  return rank(a) - rank(b) || lost(b) - lost(a) || (a.path < b.path ? -1 : 1);
}

function reportJson({ rows, folders, counts, unread }: LibraryReport): object {
  return {
    sessions: rows.map(({ sessionId, path, severity, reachable, reachableOld, codes }) => {
      return { sessionId, path, severity: severity ?? null, reachable, reachableOld, codes: Object.fromEntries(codes) };
    }),
    folders: folders.map(findingJson),
    counts: [...counts].map(([code, count]) => ({ code, ...count })),
    unread,
  };
}
