// The text of a row that the filter of the list searches, as a whole and by field.
import type { ListedRow } from '../answers/index.ts';

const searchFields = ['branch', 'model', 'tag', 'pr', 'person'] as const;
export type SearchField = (typeof searchFields)[number];
export type SearchText = Readonly<Record<SearchField | 'all', string>>;

export function searchTextOf(row: ListedRow): SearchText {
  const fields = {
    branch: row.gitBranch ?? '',
    model: `${row.modelName ?? ''}\n${row.model ?? ''}`,
    tag: row.tag ?? '',
    pr: row.pullRequests.map(({ number, repository }) => `${repository ?? ''}#${number ?? ''}`).join('\n'),
    person: row.person ?? '',
  };
  const { title, firstPrompt, project, id } = row;
  const all = [title ?? '', firstPrompt ?? '', project, id, ...Object.values(fields)].join('\n').toLowerCase();
  const { branch, model, tag, pr, person } = fields;
  return {
    all,
    branch: branch.toLowerCase(),
    model: model.toLowerCase(),
    tag: tag.toLowerCase(),
    pr: pr.toLowerCase(),
    person: person.toLowerCase(),
  };
}

/** A word of the filter; in a field only, or anywhere. */
export interface FilterWord {
  readonly field: SearchField | undefined;
  readonly text: string;
  /** The whole name, which was given in quotes: `person:"ada"` is not `adam`. */
  readonly isWhole: boolean;
}

const fieldNames = searchFields.join('|');
const filterWords = new RegExp(`(?:${fieldNames}):"[^"]+"(?=\\s|$)|\\S+`, 'g');
const fieldWord = new RegExp(`^(${fieldNames}):(.+)$`);

export function readFilter(filter: string): readonly FilterWord[] {
  return (filter.toLowerCase().match(filterWords) ?? []).map((word) => {
    const [, field, value] = fieldWord.exec(word) ?? [];
    if (field === undefined || value === undefined) return { field: undefined, text: word, isWhole: false };
    const [, quoted] = /^"([^"]+)"$/.exec(value) ?? [];
    // One of the names above.
    return { field: field as SearchField, text: quoted ?? value, isWhole: quoted !== undefined };
  });
}

/** All words must occur. */
export function passesFilter(text: SearchText, words: readonly FilterWord[]): boolean {
  return words.every(({ field, text: wanted, isWhole }) => {
    const within = text[field ?? 'all'];
    return isWhole ? within.split('\n').includes(wanted) : within.includes(wanted);
  });
}
