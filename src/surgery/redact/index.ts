export { findStateCopies, type StateCopies, type StateCopy } from './forget.ts';
export { listSecrets, planRedact, type RedactedSecret, type RedactPlan } from './redact.ts';
export { createRedactor, type FoundSecret, Redactor } from './redactor.ts';
export { redactLine, redactorFor, type SessionRedactor } from './session-redactor.ts';
export {
  type CleanLines,
  countArchived,
  isBinary,
  isInArchive,
  learnFile,
  redactArchive,
  redactFile,
  surveyContent,
  surveyFile,
  surveyName,
} from './survey.ts';
