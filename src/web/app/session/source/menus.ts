// Menus that the page of the server adds to a session. An exported file has no server, and none of them.
import { type ComponentType, createContext, useContext } from 'react';
import type { SessionHead, TurnRow } from '../../../../export/wire/index.ts';

export interface SessionMenus {
  readonly Session: ComponentType<{ readonly head: SessionHead }>;
  /** Restores a session that is read from the archive. */
  readonly Restore: ComponentType<{ readonly head: SessionHead }>;
  readonly Turn: ComponentType<{ readonly row: TurnRow; readonly branch: number }>;
}

export const MenusContext: React.Context<SessionMenus | null> = createContext<SessionMenus | null>(null);

export function useMenus(): SessionMenus | null {
  return useContext(MenusContext);
}
