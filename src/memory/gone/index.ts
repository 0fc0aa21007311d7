export { ArchivedSessions } from './archived-sessions.ts';
export { type DeletedFilter, DeletedSessions, type FoundPrompt } from './deleted-sessions.ts';
