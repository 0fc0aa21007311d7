// Whether a session is running, and which sessions an abbreviated id can mean.

/** Asked when the page of a session opens, and whenever its row changes. */
export interface SessionPresence {
  /** `false`: it is read from the archive, or made of what is left. */
  readonly isOnDisk: boolean;
  /** The archive has it. */
  readonly isArchived: boolean;
  /** The session's own key; another one than was asked for if that was an id or the beginning of one. */
  readonly key: string;
  /** It is read from a store, where this person pushed it; `null` for someone who is not named. */
  readonly stored: { readonly person: string | null } | null;
  readonly isLive: boolean;
  /** The process of the client that runs it, if there is one. */
  readonly pid: number | null;
  /** When the transcript was last written. */
  readonly changedAt: number;
  /** Where it came from, then what came from it. */
  readonly relations: readonly SessionRelation[];
}

/** Another session that it is related to. */
export interface SessionRelation {
  /** How, before the title: `fork of`, `continued in`. */
  readonly label: string;
  /** `null`: the library does not have it. */
  readonly key: string | null;
  readonly id: string;
  readonly title: string | null;
}
