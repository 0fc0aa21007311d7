// Whose sessions a reading of the store is about.

/** `me`: the person who is connected. */
export type PeopleChoice =
  | { readonly kind: 'me' }
  | { readonly kind: 'person'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'everyone' };
