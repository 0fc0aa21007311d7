// Whether a session is running, and which sessions an abbreviated id can mean.

/** Asked when the page of a session opens, and whenever its row changes. */
export interface SessionPresence {
  /** `false`: it is read from the archive, or made of what is left. */
  readonly isOnDisk: boolean;
  /** The archive has it. */
  readonly isArchived: boolean;
  /** The session's own key; another one than was asked for if that was an id or the beginning of one. */
  readonly key: string;
  readonly isLive: boolean;
  /** The process of the client that runs it, if there is one. */
  readonly pid: number | null;
  /** When the transcript was last written. */
  readonly changedAt: number;
}
