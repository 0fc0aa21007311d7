// Whether the sessions of a folder are traced, by the `projects` of the settings.
import { homedir } from 'node:os';
import type { TraceConfig } from './config.ts';

/** The last entry that matches decides. */
export function isTraced({ projects }: Pick<TraceConfig, 'projects'>, cwd: string | undefined): boolean {
  let traced = projects.every((entry) => entry.startsWith('!'));
  for (const entry of projects) {
    const isOut = entry.startsWith('!');
    if (cwd !== undefined && fits(cwd, isOut ? entry.slice(1) : entry)) traced = !isOut;
  }
  return traced;
}

function fits(cwd: string, pattern: string): boolean {
  const full = pattern
    .trim()
    .replace(/^~(?=$|\/)/, homedir())
    .replace(/(?<=.)\/+$/, '');
  if (!full.includes('/')) return cwd.split('/').some((part) => wildcard(full).test(part));
  const parts = cwd.split('/');
  return parts.some((_, i) => wildcard(full).test(parts.slice(0, i + 1).join('/') || '/'));
}

function wildcard(pattern: string): RegExp {
  const source = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('[^/]*')}$`);
}
