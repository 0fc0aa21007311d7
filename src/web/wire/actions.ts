// The actions of the page on sessions: one table that says what each is called, on what it works, which options it takes
// and which command does the same; and the answers of its routes. The menu, the dialogs and the server read this table.
import type { ReachView } from './health.ts';

export const actionNames = [
  'star',
  'unstar',
  'rename',
  'tag',
  'fork',
  'rewind',
  'strip',
  'compress',
  'redact',
  'export',
  'archive',
  'restore',
  'delete',
] as const;
export type ActionName = (typeof actionNames)[number];

/** The options of all actions. As a query, flags are `1` and numbers are digits. */
export interface ActionOptions {
  /** The last turn, by its number, or the last line, by its uuid. */
  readonly at?: string;
  readonly title?: string;
  /** Empty: removes the tag. */
  readonly tag?: string;
  /** Names of tools, separated by commas, `*` for any characters. Empty: all tools. */
  readonly tools?: string;
  readonly truncateResults?: number;
  readonly truncateInputs?: number;
  readonly thinking?: boolean;
  readonly images?: boolean;
  readonly progress?: boolean;
  readonly bookkeeping?: boolean;
  readonly keepLast?: number;
  /** Only turns more than this many turns back. */
  readonly olderThan?: number;
  readonly agents?: boolean;
  readonly keepTurns?: number;
  readonly dropOld?: boolean;
  readonly keepThinking?: boolean;
  readonly format?: ExportFormat;
  /** Changes the session itself, with a backup for undo, instead of writing a new one. */
  readonly inPlace?: boolean;
  readonly portable?: boolean;
}

export type ActionOptionName = keyof ActionOptions;
export const exportFormats = ['md', 'html', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ActionOptionView {
  readonly name: ActionOptionName;
  /** `place`: a turn or a line. */
  readonly kind: 'flag' | 'count' | 'text' | 'place' | 'format';
  readonly title: string;
  /** Of the command; `undefined`: the value is a word of its own after the session. */
  readonly flag?: string;
  readonly isNeeded?: boolean;
  readonly suggested?: string | number;
}

export interface ActionView {
  readonly name: ActionName;
  readonly title: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** The command that does the same. */
  readonly command: string;
  /** `place`: it starts from a turn or a line; `many`: also for several sessions at once. */
  readonly scopes: readonly ('session' | 'place' | 'many')[];
  /** Where the session must be. */
  readonly on: 'disk' | 'archive' | 'any';
  readonly options: readonly ActionOptionView[];
  /** `new`: a new session. `itself`: the session. `copy`: the archive. `clew`: only Clew's own state. `download`: nothing. */
  readonly writes: 'new' | 'itself' | 'copy' | 'clew' | 'download';
  /** At least one of them must be given. */
  readonly needsOneOf?: readonly ActionOptionName[];
}

const at: ActionOptionView = {
  name: 'at',
  kind: 'place',
  title: 'Up to and including turn',
  flag: '--at',
};
const inPlace: ActionOptionView = {
  name: 'inPlace',
  kind: 'flag',
  title: 'Change this session instead of writing a new one',
  flag: '--in-place',
};
const portable: ActionOptionView = {
  name: 'portable',
  kind: 'flag',
  title: 'For every client from 1.0.57 on',
  flag: '--portable',
};

export const actions: readonly ActionView[] = [
  {
    name: 'star',
    title: 'Star',
    summary: 'Marks the session in Clew. The session itself is not changed.',
    command: 'clew star',
    scopes: ['session', 'many'],
    on: 'any',
    options: [],
    writes: 'clew',
  },
  {
    name: 'unstar',
    title: 'Remove star',
    summary: 'Removes the mark in Clew. The session itself is not changed.',
    command: 'clew star --remove',
    scopes: ['session', 'many'],
    on: 'any',
    options: [],
    writes: 'clew',
  },
  {
    name: 'rename',
    title: 'Rename',
    summary: 'Appends a title to the session, as /rename of the client does.',
    command: 'clew rename',
    scopes: ['session'],
    on: 'disk',
    options: [{ name: 'title', kind: 'text', title: 'Title', isNeeded: true }],
    writes: 'itself',
  },
  {
    name: 'tag',
    title: 'Tag',
    summary: 'Appends a tag to the session, as the SDK does. An empty tag removes it.',
    command: 'clew tag',
    scopes: ['session', 'many'],
    on: 'disk',
    options: [{ name: 'tag', kind: 'text', title: 'Tag' }],
    writes: 'itself',
  },
  {
    name: 'fork',
    title: 'Fork',
    summary: 'Writes a second, independent session with the same history.',
    command: 'clew fork',
    scopes: ['session', 'place'],
    on: 'disk',
    options: [at, { name: 'title', kind: 'text', title: 'Title of the new session', flag: '--title' }, portable],
    writes: 'new',
  },
  {
    name: 'rewind',
    title: 'Rewind',
    summary: 'Writes a session that continues from the end of an earlier turn.',
    command: 'clew rewind',
    scopes: ['place'],
    on: 'disk',
    options: [{ ...at, flag: '--to', isNeeded: true }, inPlace, portable],
    writes: 'new',
  },
  {
    name: 'strip',
    title: 'Strip',
    summary: 'Removes content that fills the context, and keeps the conversation.',
    command: 'clew strip',
    scopes: ['session', 'many'],
    on: 'disk',
    options: [
      { name: 'tools', kind: 'text', title: 'Calls of tools, with results (empty: all tools)', flag: '--tools' },
      {
        name: 'truncateResults',
        kind: 'count',
        title: 'Characters to keep of each result',
        flag: '--truncate-results',
        suggested: 2000,
      },
      {
        name: 'truncateInputs',
        kind: 'count',
        title: 'Characters to keep of each input',
        flag: '--truncate-inputs',
        suggested: 2000,
      },
      { name: 'thinking', kind: 'flag', title: 'Thinking', flag: '--thinking' },
      { name: 'images', kind: 'flag', title: 'Images', flag: '--images' },
      { name: 'progress', kind: 'flag', title: 'Progress lines', flag: '--progress' },
      { name: 'bookkeeping', kind: 'flag', title: 'Bookkeeping of the client', flag: '--bookkeeping' },
      { name: 'keepLast', kind: 'count', title: 'Last turns to leave unchanged', flag: '--keep-last', suggested: 5 },
      { name: 'olderThan', kind: 'count', title: 'Only turns more than so many turns back', flag: '--older-than' },
      { name: 'agents', kind: 'flag', title: 'Also in sub-agents', flag: '--agents' },
      inPlace,
      portable,
    ],
    needsOneOf: ['tools', 'truncateResults', 'truncateInputs', 'thinking', 'images', 'progress', 'bookkeeping'],
    writes: 'new',
  },
  {
    name: 'compress',
    title: 'Compress',
    summary: 'Replaces older turns with an outline, and keeps every prompt.',
    command: 'clew compress',
    scopes: ['session', 'many'],
    on: 'disk',
    options: [
      {
        name: 'keepTurns',
        kind: 'count',
        title: 'Last turns to leave unchanged',
        flag: '--keep-turns',
        isNeeded: true,
        suggested: 5,
      },
      { name: 'dropOld', kind: 'flag', title: 'Remove the summarised lines from the file', flag: '--drop-old' },
      inPlace,
      portable,
    ],
    writes: 'new',
  },
  {
    name: 'redact',
    title: 'Redact',
    summary: 'Replaces every secret with a placeholder.',
    command: 'clew redact',
    scopes: ['session', 'many'],
    on: 'disk',
    options: [
      { name: 'keepThinking', kind: 'flag', title: 'Keep thinking that holds a secret', flag: '--keep-thinking' },
      inPlace,
      portable,
    ],
    writes: 'new',
  },
  {
    name: 'export',
    title: 'Export',
    summary: 'Downloads the session without its secrets.',
    command: 'clew export',
    scopes: ['session'],
    on: 'any',
    options: [{ name: 'format', kind: 'format', title: 'Format', flag: '--format', isNeeded: true, suggested: 'md' }],
    writes: 'download',
  },
  {
    name: 'archive',
    title: 'Archive',
    summary: 'Keeps a copy in the archive, safe from the cleanup of the client.',
    command: 'clew archive',
    scopes: ['session', 'many'],
    on: 'disk',
    options: [],
    writes: 'copy',
  },
  {
    name: 'restore',
    title: 'Restore',
    summary: 'Restores the session from the archive to its place, byte for byte.',
    command: 'clew restore',
    scopes: ['session', 'many'],
    on: 'archive',
    options: [],
    writes: 'itself',
  },
  {
    name: 'delete',
    title: 'Delete',
    summary: 'Archives the session, reads the copy back, and deletes its files.',
    command: 'clew rm',
    scopes: ['session', 'many'],
    on: 'disk',
    options: [],
    writes: 'itself',
  },
];

export function actionNamed(name: string): ActionView | undefined {
  return actions.find((action) => action.name === name);
}

/** A dry run: the action is planned, built and verified, but not carried out. */
export interface ActionPreview {
  readonly action: ActionName;
  readonly key: string;
  readonly id: string;
  /** What will happen, in one sentence. */
  readonly summary: string;
  /** The command line that does the same. */
  readonly command: string;
  /** Of the files, the action and its options: a change must name it. */
  readonly fingerprint: string;
  /** Nothing would change, such as a session without secrets; carrying it out is refused. */
  readonly isNoop: boolean;
  readonly files: readonly PlannedFileView[];
  readonly filesTotal: number;
  /** All files of the session. */
  readonly sizeBytes: { readonly before: number; readonly after: number };
  /** What resuming sends, estimated; `null` where the action does not change it. */
  readonly tokens: { readonly before: number; readonly after: number } | null;
  /** What resuming restores. */
  readonly messages: { readonly before: ReachView; readonly after: ReachView } | null;
  /** Lines that change. */
  readonly changed: number;
  readonly dropped: readonly { readonly reason: string; readonly count: number }[];
  readonly secrets: readonly { readonly kind: string; readonly count: number }[];
  readonly notes: readonly string[];
}

export interface PlannedFileView {
  readonly path: string;
  readonly kind: 'made' | 'changed' | 'removed';
}

/** The body of a change. */
export interface ActionRequest {
  readonly options: ActionOptions;
  /** `ActionPreview.fingerprint`: refused (409) if the session changed since. */
  readonly fingerprint: string;
}

export interface ActionDone {
  readonly action: ActionName;
  readonly key: string;
  /** For `/api/operations/:id/undo`. */
  readonly operation: string;
  readonly summary: string;
  /** The sessions that it wrote; the first is the one to open. */
  readonly to: readonly { readonly key: string; readonly id: string }[];
  readonly notes: readonly string[];
}

/** For several sessions. */
export interface BulkQuestion {
  readonly keys: readonly string[];
  readonly options: ActionOptions;
}

export interface BulkPreview {
  readonly action: ActionName;
  readonly sessions: readonly BulkResult<{ readonly preview: ActionPreview }>[];
  /** One line for each session. */
  readonly command: string;
}

export interface BulkRequest {
  readonly options: ActionOptions;
  readonly sessions: readonly { readonly key: string; readonly fingerprint: string }[];
}

export interface BulkDone {
  readonly action: ActionName;
  /** Undoes the action for all sessions; `null` if it succeeded for none. */
  readonly operation: string | null;
  readonly sessions: readonly BulkResult<{ readonly done: ActionDone }>[];
}

/** One session of several: what was found or done, or why not. */
export type BulkResult<T> = { readonly key: string } & (
  | ({ readonly failure: null } & T)
  | { readonly failure: { readonly status: number; readonly error: string; readonly next: string } }
);

/**
 * `off`: the server was started without `--allow-changes`, and nothing in the page can alter that. `ask`: it was started
 * with it, and the user has not confirmed yet. `allowed`: confirmed, until the server ends.
 */
export type ChangePermission = 'off' | 'ask' | 'allowed';
