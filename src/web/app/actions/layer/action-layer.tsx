// Everything that the actions show above the page: a menu, a dialog, and the notice of what was done.
import type { ActionHost, AskedAction, AskedMenu, Notice } from '../subject/index.ts';
import { ActionDialog } from './action-dialog.tsx';
import { ActionMenu } from './action-menu.tsx';
import { NoticeBar } from './notice-bar.tsx';

export interface ActionLayerProps {
  readonly menu: AskedMenu | null;
  readonly asked: AskedAction | null;
  readonly notice: Notice | null;
  readonly host: ActionHost;
  onMenuClosed(): void;
  onDialogClosed(): void;
  onNoticeClosed(): void;
}

export function ActionLayer({ menu, asked, notice, host, ...on }: ActionLayerProps) {
  return (
    <section aria-label="Actions">
      {menu === null ? null : <ActionMenu menu={menu} host={host} onClose={on.onMenuClosed} />}
      {asked === null ? null : <ActionDialog asked={asked} host={host} onClose={on.onDialogClosed} />}
      <NoticeBar notice={notice} host={host} onClose={on.onNoticeClosed} />
    </section>
  );
}
