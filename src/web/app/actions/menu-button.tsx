// The button that opens the menu of a session or of a turn.
import { neutralise } from '../../../base/text/index.ts';
import { useActionHost } from './action-host.tsx';
import type { MenuSubject } from './subject/index.ts';

export interface MenuButtonProps {
  /** What the actions are for, as in "Actions of turn 3". */
  readonly of: string;
  subject(): MenuSubject;
  readonly text?: string;
}

export function MenuButton({ of, subject, text = '' }: MenuButtonProps) {
  const host = useActionHost();
  const name = neutralise(`Actions of ${of}`);
  return (
    <button
      type="button"
      className={text === '' ? 'menu-button menu-dots' : 'menu-button'}
      aria-haspopup="menu"
      aria-label={name}
      title={text === '' ? name : undefined}
      onClick={(event) => host.openMenu(event.currentTarget, subject())}
    >
      {text}
    </button>
  );
}
