export { ActionHostProvider, useActionHost } from './action-host.tsx';
export { MenuButton } from './menu-button.tsx';
export { sessionMenus, useSessionActions } from './session-menus.tsx';
export {
  type ActionHost,
  type ActionSubject,
  type MenuSubject,
  type Notice,
  subjectOf,
  useChanges,
} from './subject/index.ts';
