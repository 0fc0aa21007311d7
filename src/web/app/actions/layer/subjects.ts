// Sessions → what a menu or a dialog needs to know of them.
import { type Client, readJson } from '../../../client/index.ts';
import { type ActionName, type ActionView, actions } from '../../../wire/index.ts';
import { type ActionSubject, subjectOf } from '../subject/index.ts';

/** The row of a key: from the list, or from the archive if the file is gone. */
export async function askSubject(client: Client, key: string): Promise<ActionSubject> {
  // A key is an id, or an id with a hash of the path after it.
  const text = key.split('~', 1)[0] ?? '';
  for (const only of [undefined, 'deleted'] as const) {
    const query = { limit: 50, ...(text === '' ? {} : { text }), ...(only === undefined ? {} : { only }) };
    const { rows } = await readJson(client.sessions.$get({ query }));
    const row = rows.find((each) => each.key === key);
    if (row !== undefined) return subjectOf(row);
  }
  return { key, id: key, path: '', title: null, isStarred: false, isOnDisk: true, isArchived: false };
}

/** The actions that can be done to a session where it is. */
export function actionsFor(subject: ActionSubject): readonly ActionView[] {
  return actions.filter(({ name, on }) => {
    if (name === 'star' || name === 'unstar') return (name === 'star') !== subject.isStarred;
    if (on === 'archive') return subject.isArchived && !subject.isOnDisk;
    return on === 'any' || subject.isOnDisk;
  });
}

/** Actions between which the menu draws a line. */
export const menuGroups: readonly (readonly ActionName[])[] = [
  ['star', 'unstar', 'rename', 'tag'],
  ['fork', 'rewind', 'strip', 'compress', 'redact'],
  ['export'],
  ['archive', 'restore', 'delete'],
];

/** `Strip…`: a dialog follows. */
export function menuTitle({ name, title }: ActionView): string {
  return name === 'star' || name === 'unstar' ? title : `${title}…`;
}
