// clew ls --deleted: sessions whose transcript is gone, the most recently used first, with what is left of each.
import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { isoDate, jsonText } from '../../base/json/index.ts';
import { counted, formatAge, formatCount } from '../../base/text/index.ts';
import { type DeletedSession, listDeleted } from '../../library/deleted/index.ts';
import { leftOutNotes } from '../../library/session-files/index.ts';
import type { CommandInput } from '../command/index.ts';
import { projectFilter, rootsOf } from '../input/index.ts';
import { type Cell, type Column, renderTable, shortIds, wrapSpans } from '../render/index.ts';
import { type Style, terminalWidth, writeNotice, writeOut } from '../terminal/index.ts';
import { readWindow } from './choose.ts';

export async function listDeletedSessions(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  refuseOtherFilters(input);
  const isOfProject = projectFilter(input);
  const { sessions, leftOut, problems } = listDeleted({ roots: rootsOf(input), env: io.env });
  input.unread.add(problems);
  for (const note of leftOutNotes(leftOut)) writeNotice(io.stderr, note);
  const { limit, from, to } = readWindow(input, Date.now());
  const shown = sessions.filter((each) => isOfProject(each) && isWithin(each, from, to)).slice(0, limit);
  if (flags.ids === true) return writeOut([shown.map(({ id }) => `${id}\n`).join('')], io);
  if (flags.json === true) return writeOut([`${jsonText(shown.map(deletedJson), 2)}\n`], io);
  if (shown.length === 0)
    return writeNotice(io.stderr, `no traces of deleted sessions below ${rootsOf(input).join(' and ')}`);
  await writeOut([table(shown, sessions, terminalWidth(io.stdout, io.env), io.style)], { ...io, pager: true });
}

/** A trace without a time may be of any day. */
function isWithin({ startedAt, endedAt }: DeletedSession, from: number | undefined, to: number | undefined): boolean {
  return !(from !== undefined && endedAt < from) && !(to !== undefined && startedAt >= to);
}

function refuseOtherFilters({ flags }: CommandInput): void {
  for (const name of ['tag', 'expiring', 'branch', 'pr', 'sort', 'tree'])
    if (flags[name] !== undefined && flags[name] !== false)
      throw new UserError(`--deleted and --${name} exclude each other`, 'give one of them');
}

/** Of a session or a group of prompts, see docs/json.md. */
export function deletedJson(session: DeletedSession): object {
  const { id, hasId, cwd, project, title, firstPrompt, startedAt, endedAt, left, isArchived } = session;
  return {
    id,
    sessionId: hasId ? id : null,
    project,
    cwd: cwd ?? null,
    title: title ?? null,
    firstPrompt: firstPrompt ?? null,
    startedAt: isoDate(startedAt),
    endedAt: isoDate(endedAt),
    left,
    isArchived,
  };
}

function table(rows: readonly DeletedSession[], all: readonly DeletedSession[], width: number, style: Style): string {
  const ids = shortIds(all.map(({ id }) => id));
  const now = Date.now();
  const columns: readonly (Column & { readonly fromWidth?: number; cell(row: DeletedSession): Cell })[] = [
    { header: 'AGE', align: 'right', cell: ({ endedAt }) => formatAge(endedAt, now) },
    {
      header: 'TITLE',
      flex: true,
      minWidth: 20,
      cell: ({ title }) => title ?? { text: '(no prompt left)', paint: style.muted },
    },
    {
      header: 'FOLDER',
      flex: true,
      minWidth: 10,
      fromWidth: 80,
      cell: (row) => ({ text: shortFolder(row), paint: style.muted }),
    },
    {
      header: 'PROMPTS',
      align: 'right',
      fromWidth: 46,
      cell: ({ left }) => (left.prompts === 0 ? '' : formatCount(left.prompts)),
    },
    { header: 'ALSO LEFT', flex: true, minWidth: 12, fromWidth: 60, cell: (row) => alsoLeft(row) },
    { header: 'ID', minWidth: 8, cell: ({ id }) => ({ text: ids.get(id) ?? id, paint: style.accent }) },
  ];
  const shown = columns.filter(({ fromWidth = 0 }) => width >= fromWidth);
  const cells = rows.map((row) => shown.map((column) => column.cell(row)));
  const footer = notes(rows).flatMap((text) =>
    wrapSpans([{ text, paint: style.muted }], width).map((line) => line.text),
  );
  return `${[renderTable(shown, cells, { width, style }), '', ...footer].join('\n')}\n`;
}

function notes(rows: readonly DeletedSession[]): readonly string[] {
  const prompts = rows.reduce((sum, { left }) => sum + left.prompts, 0);
  const archived = rows.filter(({ isArchived }) => isArchived).length;
  const unnamed = rows.filter(({ hasId }) => !hasId).length;
  const total = `${counted(rows.length, 'deleted session')}, ${counted(prompts, 'prompt')} left`;
  return [
    `${total}; \`clew recover ID\` writes what is left of one`,
    ...(archived === 0 ? [] : [`${formatCount(archived)} in the archive; \`clew restore ID\` brings one back whole`]),
    ...(unnamed === 0
      ? []
      : [
          `${formatCount(unnamed)} without a session id, as old clients wrote them: prompts of one folder, grouped by time`,
        ]),
  ];
}

/** What is left apart from prompts, in words. */
export function alsoLeft({ left, isArchived }: DeletedSession): string {
  const { fileVersions, agents, toolResults, tasks, others } = left;
  const facts = [
    isArchived ? 'archived copy' : '',
    fileVersions === 0 ? '' : counted(fileVersions, 'file version'),
    agents === 0 ? '' : counted(agents, 'sub-agent'),
    toolResults === 0 ? '' : counted(toolResults, 'tool output'),
    tasks === 0 ? '' : counted(tasks, 'task list'),
    others === 0 ? '' : counted(others, 'other file'),
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}

function shortFolder({ cwd, project }: DeletedSession): string {
  if (cwd === undefined) return project;
  const home = homedir();
  return cwd === home || cwd.startsWith(home + path.sep) ? `~${cwd.slice(home.length)}` : cwd;
}
