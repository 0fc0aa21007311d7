// Holds what the user asked for: a menu, the dialog of an action, a notice. The code that shows them is loaded with the
// first one, so that it costs nothing when the page is opened.
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useState } from 'react';
import { useServices } from '../page/index.ts';
import { type ActionHost, type AskedAction, type AskedMenu, ChangesContext, type Notice } from './subject/index.ts';

const HostContext = createContext<ActionHost | null>(null);
const ActionLayer = lazy(async () => ({ default: (await import('./layer/index.ts')).ActionLayer }));

export function useActionHost(): ActionHost {
  const host = useContext(HostContext);
  if (host === null) throw new Error('no ActionHostProvider around this page');
  return host;
}

export function ActionHostProvider({ children }: { readonly children: ReactNode }) {
  const { client } = useServices();
  const [menu, setMenu] = useState<AskedMenu | null>(null);
  const [asked, setAsked] = useState<AskedAction | null>(null);
  const [notice, setNotice] = useState<Notice | null>(null);
  const [isAllowed, setAllowed] = useState(false);
  const host = useMemo<ActionHost>(
    () => ({
      openMenu: (anchor, subject) => setMenu({ anchor, subject }),
      open: (action, subjects, options = {}) => {
        setMenu(null);
        setAsked({ action, subjects, options });
      },
      notify: setNotice,
    }),
    [],
  );
  const changes = useMemo(
    () => ({
      isAllowed,
      allow: async () => {
        await client.changes.$post({ json: {} });
        setAllowed(true);
      },
    }),
    [client, isAllowed],
  );
  const isUsed = menu !== null || asked !== null || notice !== null;
  return (
    <HostContext value={host}>
      <ChangesContext value={changes}>
        {children}
        {isUsed ? (
          <Suspense fallback={null}>
            <ActionLayer
              menu={menu}
              asked={asked}
              notice={notice}
              host={host}
              onMenuClosed={() => setMenu(null)}
              onDialogClosed={() => setAsked(null)}
              onNoticeClosed={() => setNotice(null)}
            />
          </Suspense>
        ) : null}
      </ChangesContext>
    </HostContext>
  );
}
