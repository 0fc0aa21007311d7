// clew archive --list: the sessions in the archive, the latest copy first.
import { statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { isoDate, jsonText } from '../../base/json/index.ts';
import { counted, formatAge, formatBytes, formatCount, oneLine } from '../../base/text/index.ts';
import { archivedFolder, archivedTitle, archiveFolder } from '../../library/archive/index.ts';
import { type ArchivedSession, type Manifest, readContents, totalBytes } from '../../library/archive/pack/index.ts';
import { compareNames } from '../../store/index.ts';
import type { CommandInput, CommandIo } from '../command/index.ts';
import { projectFilter } from '../input/index.ts';
import { type Cell, renderTable, shortIds } from '../render/index.ts';
import { type Style, terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';

interface Row extends ArchivedSession {
  readonly latest: Manifest;
  /** Whether its transcript is still where it was; of one without it, its first sub-agent; `undefined` if unknown. */
  readonly isOnDisk: boolean | undefined;
  /** Whether the transcript was gone before the first copy, so that there are only sub-agents. */
  readonly isOrphan: boolean;
  readonly title: string | undefined;
}

export async function listArchived(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const folder = archiveFolder(io.env);
  const isOfProject = projectFilter(input);
  const contents = readContents(folder);
  const cwdOf = (latest: Manifest): string | undefined =>
    flags.project === undefined ? undefined : archivedFolder(contents, latest);
  const rows = [...contents.sessions.values()]
    .flatMap((session): Row[] => {
      const latest = session.versions.at(-1);
      if (latest === undefined) return [];
      const first = latest.files[0]?.path ?? '';
      const isThere = isOnDisk(path.join(latest.projects, latest.slug, first), input.unread);
      return [
        {
          ...session,
          latest,
          isOnDisk: isThere,
          isOrphan: first !== `${latest.sessionId}.jsonl`,
          title: archivedTitle(contents, latest),
        },
      ];
    })
    .filter(({ latest }) => isOfProject({ cwd: cwdOf(latest), project: latest.slug }))
    .sort((a, b) => b.latest.archivedAtMs - a.latest.archivedAtMs || compareNames(a.key, b.key));
  if (contents.damage.length > 0)
    writeNotice(
      io.stderr,
      'a part of the archive is damaged, so copies may be missing here; run `clew archive --verify`',
    );
  if (flags.json === true) return writeOut([`${jsonText(rows.map(jsonRow), 2)}\n`], io);
  if (rows.length === 0) return writeNotice(io.stderr, `nothing in the archive ${folder}; \`clew archive\` fills it`);
  await writeOut([table(rows, io)], { ...io, pager: true });
}

function isOnDisk(file: string, unread: CommandInput['unread']): boolean | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOTDIR') return false;
    unread.add([{ path: file, code }]);
    return undefined;
  }
}

function onDiskCell(value: boolean | undefined, { accent, yellow }: Style): Cell {
  if (value === undefined) return { text: 'unknown', paint: yellow };
  return value ? 'yes' : { text: 'gone', paint: accent };
}

function jsonRow({ key, versions, latest, isOnDisk, isOrphan, title }: Row): object {
  return {
    sessionId: latest.sessionId,
    path: key,
    project: latest.slug,
    title: title ?? null,
    isOnDisk: isOnDisk ?? null,
    isOrphan,
    copies: versions.map((version) => ({
      archivedAt: isoDate(version.archivedAtMs),
      files: version.files.length,
      sizeBytes: totalBytes(version),
    })),
  };
}

function table(rows: readonly Row[], io: CommandIo): string {
  const ids = shortIds(rows.map((row) => row.latest.sessionId));
  const now = Date.now();
  const cells = rows.map(({ latest, versions, isOnDisk, title }): Cell[] => [
    formatAge(latest.archivedAtMs, now),
    oneLine(title ?? '', 200) || { text: '(no title)', paint: io.style.muted },
    { text: latest.slug, paint: io.style.muted },
    formatCount(versions.length),
    formatBytes(totalBytes(latest)),
    onDiskCell(isOnDisk, io.style),
    { text: ids.get(latest.sessionId) ?? latest.sessionId, paint: io.style.accent },
  ]);
  const columns = [
    { header: 'ARCHIVED', align: 'right' },
    { header: 'TITLE', flex: true, minWidth: 12 },
    { header: 'FOLDER', flex: true, minWidth: 10 },
    { header: 'COPIES', align: 'right' },
    { header: 'SIZE', align: 'right' },
    { header: 'ON DISK' },
    { header: 'ID', minWidth: 8 },
  ] as const;
  const text = renderTable(columns, cells, { width: terminalWidth(io.stdout, io.env), style: io.style });
  const total = `${counted(rows.length, 'session')} in the archive; \`clew restore ID\` brings one back`;
  const orphans = rows.filter(({ isOrphan }) => isOrphan).length;
  const without = `${counted(orphans, 'session')} with sub-agents only: the transcript was gone before the first copy`;
  return `${text}\n\n${io.style.muted(total)}\n${orphans === 0 ? '' : `${io.style.muted(without)}\n`}`;
}
