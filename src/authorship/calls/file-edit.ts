// What one call did to one file, as far as the transcript says it.

/** Who made a call: the turn of a session, or a sub-agent that this turn started. */
export interface CallAuthor {
  readonly sessionId: string;
  /** The main transcript. */
  readonly path: string;
  readonly title: string | undefined;
  /** As `clew show --turn` takes it; `undefined` for a call that belongs to no turn. */
  readonly turn: number | undefined;
  /** `undefined` for the active branch. */
  readonly branch: number | undefined;
  readonly agentId: string | undefined;
  /** The text of the turn's prompt. */
  readonly prompt: string | undefined;
  /** The first line of the turn, which names it for as long as the session exists. */
  readonly turnLine: { readonly uuid: string | undefined; readonly line: number } | undefined;
  /** The session is only in the archive. */
  readonly isArchived: boolean;
}

/** A text that is replaced by another. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
  /** Everywhere instead of once. */
  readonly isEverywhere: boolean;
}

export type EditAction =
  /** The whole file. */
  | { readonly kind: 'content'; readonly text: string }
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'replace'; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'substitute'; readonly pattern: RegExp; readonly by: string }
  /** A command that may have changed the file in a way that its text does not show. */
  | { readonly kind: 'opaque' };

/** One change of one file by one call that succeeded. */
export interface FileEdit {
  readonly id: string;
  readonly tool: string;
  /** Absolute, as the session named it. */
  readonly path: string;
  /** Milliseconds since 1970, or `NaN`. */
  readonly time: number;
  /** The line of the call in its transcript. */
  readonly line: number;
  readonly author: CallAuthor;
  /** The line was copied from another session, which made the call. */
  readonly isCopy: boolean;
  readonly action: EditAction;
  /** The whole file before and after the call, if the transcript has it. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The file as the session saw it last, for a call whose `before` is unknown. */
  readonly seen: string | undefined;
  /** The user changed what the call was going to write: only these lines are the model's. */
  readonly ownLines: ReadonlySet<string> | undefined;
}

/** A file that a command of a session moved. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

/** A commit that a command of a session made. */
export interface SessionCommit {
  /** The beginning of its hash. */
  readonly hash: string;
  readonly sessionId: string;
  readonly time: number;
}

/** What the calls of a session did to files. */
export interface SessionWork {
  readonly edits: readonly FileEdit[];
  readonly moves: readonly FileMove[];
  readonly commits: readonly SessionCommit[];
}

/** The text after an action; `undefined` if it does not fit the text before. */
export function applyAction(action: EditAction, before: string): string | undefined {
  switch (action.kind) {
    case 'content':
      return action.text;
    case 'append':
      return before === '' || before.endsWith('\n') ? before + action.text : `${before}\n${action.text}`;
    case 'replace':
      return applyReplacements(action.replacements, before);
    case 'substitute':
      return before
        .split('\n')
        .map((line) => line.replace(action.pattern, action.by))
        .join('\n');
    case 'opaque':
      return undefined;
  }
}

function applyReplacements(replacements: readonly Replacement[], before: string): string | undefined {
  let text = before;
  for (const { from, to, isEverywhere } of replacements) {
    const at = text.indexOf(from);
    if (from === '') {
      if (text.trim() !== '') return undefined;
      text = to;
    } else if (at < 0) return undefined;
    else if (isEverywhere) text = text.replaceAll(from, () => to);
    else text = text.slice(0, at) + to + text.slice(at + from.length);
  }
  return text;
}
