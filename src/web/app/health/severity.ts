// How bad a finding is, in the words of the page.
import type { Severity } from '../../wire-health.ts';

export const severityWords: Readonly<Record<Severity, string>> = {
  fatal: 'Cannot be resumed',
  loss: 'A resume loses work',
  warn: 'Warning',
  info: 'Note',
};
