export { type Draft, draftLines, retractedBy, textBlock, type WireBlock, type WireMessage } from './draft.ts';
export { filterDrafts, isThinking, resultFor, withOpenCallsClosed } from './filter.ts';
export { type ClientHost, forRequest, requestModel } from './for-request.ts';
export { mergeDrafts, withAnsweredEnd, withPrompt } from './merge.ts';
export { isReminder, type NormalMessage, normalise, type SentMessage } from './normalise.ts';
export { type ResumeMessage, repairMessages } from './repair.ts';
