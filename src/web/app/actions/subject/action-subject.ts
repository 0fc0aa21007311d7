// What an action is done to, and what the pages may ask for. The menu and the dialogs are loaded later.
import type { ActionName, ActionOptions, SessionRow } from '../../../wire/index.ts';

/** A session, as far as a menu needs it. */
export interface ActionSubject {
  readonly key: string;
  readonly id: string;
  /** `''` if it is not known yet. */
  readonly path: string;
  readonly title: string | null;
  readonly isStarred: boolean;
  readonly isOnDisk: boolean;
  readonly isArchived: boolean;
}

export function subjectOf(row: SessionRow): ActionSubject {
  return {
    key: row.key,
    id: row.id,
    path: row.path,
    title: row.title ?? row.firstPrompt,
    isStarred: row.isStarred,
    isOnDisk: row.isOnDisk,
    isArchived: row.archived !== null,
  };
}

/** What a menu is opened for; the rest of the subject is asked for. */
export interface MenuSubject {
  readonly key: string;
  readonly id: string;
  readonly title: string | null;
  /** The menu of a turn. */
  readonly turn?: MenuTurn;
}

export interface MenuTurn {
  readonly index: number;
  /** The turn's number, or on another branch the uuid of its last line. */
  at(): Promise<string>;
  copyLink(): void;
  copyMarkdown(): void;
}

/** A line at the bottom of the page, with what can still be done about it. */
export interface Notice {
  readonly text: string;
  /** Operations that "Undo" undoes, in this order. */
  readonly undoes?: readonly string[];
  readonly link?: { readonly address: string; readonly text: string };
  /** More than one line, such as one for each session. */
  readonly details?: readonly string[];
}

export interface AskedMenu {
  readonly anchor: HTMLElement;
  readonly subject: MenuSubject;
}

export interface AskedAction {
  readonly action: ActionName;
  readonly subjects: readonly ActionSubject[];
  readonly options: ActionOptions;
}

export interface ActionHost {
  openMenu(anchor: HTMLElement, subject: MenuSubject): void;
  /** Opens the dialog of an action. */
  open(action: ActionName, subjects: readonly ActionSubject[], options?: ActionOptions): void;
  notify(notice: Notice): void;
}
