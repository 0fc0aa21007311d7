// Where the lines of a session are shown: as it is asked for, and as it is kept in the index.

export interface Place {
  /** As `clew show --turn` takes it; `undefined` for a line that belongs to no turn, such as a title. */
  readonly turn: number | undefined;
  /** As `clew show --branch` takes it; `undefined` for the active one. */
  readonly branch: number | undefined;
}

export interface SessionPlaces {
  /** What `clew show` opens: the main transcript, or the sub-agent's own where that is gone. */
  readonly path: string;
  readonly title: string | undefined;
  readonly tag: string | undefined;
  readonly forkedFrom: string | undefined;
  placeOf(file: string, line: number): Place;
}

/** The places of a session in the form in which they are kept. */
export interface PlaceTable {
  readonly title: string | undefined;
  readonly tag: string | undefined;
  readonly forkedFrom: string | undefined;
  /** Line, turn and branch, where one of the last two changes; 0 for none. In the order of the lines. */
  readonly lines: readonly number[];
  /** Turn and branch of the call that started a sub-agent, by the path of its transcript. */
  readonly agents: Readonly<Record<string, readonly number[]>>;
}
