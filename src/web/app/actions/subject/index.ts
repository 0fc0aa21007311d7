export type { ActionHost, ActionSubject, AskedAction, AskedMenu, MenuSubject, Notice } from './action-subject.ts';
export { ChangesContext, useChanges } from './changes.ts';
