// The query and the answer of the page of people and groups, which a store has.

export interface PeopleQuery {
  /** The first day, `2026-02-28`; without it, all time. */
  readonly since?: string;
}

export interface PeopleAnswer {
  /** By name; only people of whom the reader sees metrics. */
  readonly people: readonly PersonRow[];
  /** By name; sums of the people above. */
  readonly groups: readonly GroupRow[];
}

export interface PersonSumsView {
  /** Used since the first day. */
  readonly sessions: number;
  readonly prompts: number;
  /** Of all kinds. */
  readonly tokens: number;
  /** `null` if no message has a known price. */
  readonly costMicroUsd: number | null;
  /** Some messages have no known price and are not in the cost. */
  readonly costIsPart: boolean;
}

export interface PersonRow extends PersonSumsView {
  readonly name: string;
  readonly groups: readonly string[];
  /** The one that pushed last comes first. */
  readonly machines: readonly { readonly name: string; readonly pushedAt: number }[];
}

export interface GroupRow extends PersonSumsView {
  readonly name: string;
  readonly people: number;
  readonly leads: readonly string[];
}
