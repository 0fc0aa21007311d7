// Whether this page may change sessions, and the confirmation of the user, which the server remembers until it ends.
import { createContext, useContext } from 'react';
import type { ChangePermission } from '../../../wire/index.ts';
import { useStatus } from '../../page/index.ts';

export interface Changes {
  readonly permission: ChangePermission;
  /** Confirms for the user; does nothing if it is already allowed. */
  allow(): Promise<void>;
}

export interface Confirmation extends Pick<Changes, 'allow'> {
  readonly isAllowed: boolean;
}

/** Set once this page has confirmed: the server's status is not sent again at once. */
export const ChangesContext: React.Context<Confirmation> = createContext<Confirmation>({
  isAllowed: false,
  allow: async (): Promise<void> => {},
});

export function useChanges(): Changes {
  const status = useStatus();
  const { isAllowed, allow } = useContext(ChangesContext);
  const permission = status === null ? 'off' : isAllowed ? 'allowed' : status.changes;
  return { permission, allow };
}
