// The page's names for the severities.
import type { Severity } from '../../wire/health.ts';

export const severityWords: Readonly<Record<Severity, string>> = {
  fatal: 'Cannot be resumed',
  loss: 'Resuming loses work',
  warn: 'Warning',
  info: 'Note',
};
