export {
  type ActionHost,
  type ActionSubject,
  type AskedAction,
  type AskedMenu,
  type MenuSubject,
  type Notice,
  subjectOf,
} from './action-subject.ts';
export { ChangesContext, useChanges } from './changes.ts';
