// What compares the words of a diff: in a chunk of its own, loaded with the first diff.
type WordDiff = typeof import('./word-diff.ts');

let loading: Promise<WordDiff> | undefined;
let loaded: WordDiff | undefined;

export function currentWordDiff(): WordDiff | undefined {
  return loaded;
}

export function loadWordDiff(): Promise<WordDiff> {
  loading ??= import('./word-diff.ts').then(
    (read) => {
      loaded = read;
      return read;
    },
    (error: unknown) => {
      loading = undefined; // the next diff tries again
      throw error;
    },
  );
  return loading;
}
