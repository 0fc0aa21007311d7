// The menus of the session page: in its header, and at every turn.
import { useMemo } from 'react';
import type { SessionHead, TurnRow } from '../../../export/wire/index.ts';
import { useServices } from '../page/index.ts';
import { type SessionMenus, type SessionSource, useActions, useSource } from '../session/source/index.ts';
import { useActionHost } from './action-host.tsx';
import { MenuButton } from './menu-button.tsx';

function SessionMenu({ head }: { readonly head: SessionHead }) {
  const { key } = useSource();
  return (
    <MenuButton of="this session" text="Actions" subject={() => ({ key, id: head.sessionId, title: head.title })} />
  );
}

function RestoreButton({ head }: { readonly head: SessionHead }) {
  const { key } = useSource();
  const host = useActionHost();
  const { sessionId: id, title } = head;
  const subject = { key, id, path: '', title, isStarred: false, isOnDisk: false, isArchived: true };
  return (
    <button type="button" onClick={() => host.open('restore', [subject])}>
      Restore…
    </button>
  );
}

export interface TurnMenuProps {
  readonly row: TurnRow;
  readonly branch: number;
}

function TurnMenu({ row, branch }: TurnMenuProps) {
  const source = useSource();
  const { copy, linkTo } = useActions();
  // A sub-agent has no file of its own to fork.
  if (source.agentId !== null) return null;
  return (
    <MenuButton
      of={`turn ${row.index}`}
      subject={() => ({
        key: source.key,
        id: source.key,
        title: null,
        turn: {
          index: row.index,
          at: () => turnEnd(source, row, branch),
          copyLink: () => copy(linkTo(row.partLines[0] ?? 1, null), 'Link'),
          copyMarkdown: () => copy(source.markdown({ branch, turn: row.index }), 'Markdown'),
        },
      })}
    />
  );
}

/** Commands count the turns of the active branch; a turn of another one is named by the uuid of its last line. */
async function turnEnd(source: SessionSource, row: TurnRow, branch: number): Promise<string> {
  if (branch === 1) return String(row.index);
  const last = row.firstPart + row.partLines.length - 1;
  const [view] = await source.parts(branch, last, last + 1);
  const places = [
    view?.prompt?.place,
    ...(view?.items ?? []).flatMap((item) =>
      item.kind === 'fork' ? [] : [item.place, item.kind === 'call' ? item.resultPlace : null],
    ),
  ];
  const uuid = places.findLast((place) => place?.uuid != null)?.uuid;
  if (uuid == null) throw new Error('the last line of this turn has no uuid');
  return uuid;
}

export const sessionMenus: SessionMenus = { Session: SessionMenu, Restore: RestoreButton, Turn: TurnMenu };

/** What the palette offers for the session of a key. */
export function useSessionActions(key: string | null) {
  const host = useActionHost();
  const { client } = useServices();
  return useMemo(
    () => async () => (key === null ? [] : (await import('./layer/index.ts')).sessionActions(client, host, key)),
    [client, host, key],
  );
}
