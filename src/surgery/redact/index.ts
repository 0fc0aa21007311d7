export { type CleanableCopy, type CleaningOptions, explainCopies, planCleaning } from './forget.ts';
export { beginPurge, markPurge, type Purge, type PurgedValue, purgesFile, readPurges } from './purge-journal.ts';
export { listSecrets, planRedact, type RedactedSecret, type RedactPlan } from './redact.ts';
export { createRedactor, type FoundSecret, type KnownValue, Redactor } from './redactor.ts';
export {
  type CleanFiles,
  type FoundCopy,
  type MissedFile,
  type SearchReport,
  searchFiles,
} from './search-files.ts';
export { redactLine, redactorFor, type SessionRedactor } from './session-redactor.ts';
export {
  type CleanLines,
  countArchived,
  isBinary,
  learnFile,
  redactArchive,
  redactFile,
  surveyContent,
  surveyFile,
  surveyName,
} from './survey.ts';
