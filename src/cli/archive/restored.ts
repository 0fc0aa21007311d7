// What a restore did, from the archive or from the store of a team → text and JSON.
import { counted, formatBytes } from '../../base/text/index.ts';
import type { Restored } from '../../library/archive/index.ts';
import type { RestoredWithUndo } from '../../surgery/keep/index.ts';

export function restoredText({ path: main, files }: Restored, isDryRun: boolean, from = 'archived'): string {
  const written = files.filter((file) => file.outcome !== 'present');
  if (written.length === 0) return `${main} is there already, just as it was ${from}\n`;
  const sizeBytes = written.reduce((sum, file) => sum + file.sizeBytes, 0);
  const verb = isDryRun ? 'would restore' : 'restored';
  const backups = files.flatMap((file) => (file.backup === undefined ? [] : [`${file.path} → ${file.backup}\n`]));
  const kept = backups.length === 0 ? '' : `${isDryRun ? 'would keep' : 'kept'} what was there:\n${backups.join('')}`;
  return `${verb} ${main} (${counted(written.length, 'file')}, ${formatBytes(sizeBytes)})\n${kept}`;
}

export function restoredJson({ sessionId, path: main, files, operation }: RestoredWithUndo): object {
  const rows = files.map(({ sha256: _, ...file }) => ({ ...file, backup: file.backup ?? null }));
  return { sessionId, path: main, files: rows, operation: operation ?? null };
}
