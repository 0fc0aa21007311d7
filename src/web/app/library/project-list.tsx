// The projects: a list next to the sessions, and a select on a phone.
import { counted, formatAge, neutralise } from '../../../base/text/index.ts';
import type { ProjectRow } from '../../wire/index.ts';
import { addressWith, goTo } from '../page/index.ts';
import { formatKnownMoney } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';

export interface ProjectListProps {
  readonly projects: readonly ProjectRow[];
  readonly current: string | null;
}

export function ProjectList({ projects, current }: ProjectListProps) {
  const now = Date.now();
  return (
    <nav className="projects" aria-label="Projects">
      <a href={addressWith({ project: null })} aria-current={current === null ? 'true' : undefined}>
        <span className="project-name">All projects</span>
      </a>
      {projects.map((row) => (
        <a
          key={row.project}
          href={addressWith({ project: row.project })}
          aria-current={row.project === current ? 'true' : undefined}
          data-worktree={row.repository === null ? undefined : ''}
          title={neutralise(row.project)}
        >
          <span className="project-name">
            <Words text={row.repository === null ? shortProject(row.project) : worktreeName(row.project)} />
            {row.live === 0 ? null : <span className="mark live-mark">live</span>}
          </span>
          <span className="project-facts">
            {counted(row.sessions, 'session')} · {formatAge(row.changedAt, now)}
            {row.costMicroUsd === null ? null : (
              <span className="cost"> · {formatKnownMoney(row.costMicroUsd, row.costIsPart)}</span>
            )}
          </span>
        </a>
      ))}
    </nav>
  );
}

export function ProjectSelect({ projects, current }: ProjectListProps) {
  return (
    <select
      className="project-select"
      aria-label="Project"
      value={current ?? ''}
      onChange={(event) => goTo(addressWith({ project: event.currentTarget.value }))}
    >
      <option value="">All projects</option>
      {projects.map((row) => (
        <option key={row.project} value={row.project}>
          {neutralise(projectName(row))} ({row.sessions})
        </option>
      ))}
    </select>
  );
}

/** `lighthouse/dark-mode` for a worktree, which may be anywhere. */
export function projectName({ project, repository }: Pick<ProjectRow, 'project' | 'repository'>): string {
  return repository === null ? shortProject(project) : `${lastFolder(repository)}/${worktreeName(project)}`;
}

function worktreeName(project: string): string {
  return /[\\/](?:\.claude[\\/]worktrees|\.worktrees)[\\/](.+)$/.exec(project)?.[1] ?? lastFolder(project);
}

function lastFolder(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder;
}

/** Of a session in a store whose folder is not shared: its hash. */
export function isHiddenProject(project: string): boolean {
  return project.startsWith('hash:');
}

/** The last two folders; the tooltip has the whole path. */
export function shortProject(project: string): string {
  if (isHiddenProject(project)) return `folder ${project.slice('hash:'.length, 'hash:'.length + 6)}`;
  const parts = project.split(/[\\/]/).filter((part) => part !== '');
  return parts.length <= 2 ? project : parts.slice(-2).join('/');
}
