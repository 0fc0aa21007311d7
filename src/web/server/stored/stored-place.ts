// A session of a store ⇄ the text that the server uses in place of a path: people may have sessions with one id, and below the
// level of titles the path of a transcript is not known.

export interface StoredPlace {
  readonly person: number;
  readonly storeId: string;
}

export function placeText({ person, storeId }: StoredPlace): string {
  return `store:${person}:${storeId}`;
}

export function placeOfText(text: string): StoredPlace | undefined {
  const [, person, storeId] = /^store:(\d+):(.+)$/s.exec(text) ?? [];
  return person === undefined || storeId === undefined ? undefined : { person: Number(person), storeId };
}
