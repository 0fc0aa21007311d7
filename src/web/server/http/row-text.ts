// The text of a row that the filter of the list searches, as a whole and by field.
import type { ListedRow } from '../answers/index.ts';

export type SearchField = 'branch' | 'model' | 'tag' | 'pr';
export type SearchText = Readonly<Record<SearchField | 'all', string>>;

export function searchTextOf(row: ListedRow): SearchText {
  const fields = {
    branch: row.gitBranch ?? '',
    model: `${row.modelName ?? ''}\n${row.model ?? ''}`,
    tag: row.tag ?? '',
    pr: row.pullRequests.map(({ number, repository }) => `${repository ?? ''}#${number ?? ''}`).join('\n'),
  };
  const { title, firstPrompt, project, id } = row;
  const all = [title ?? '', firstPrompt ?? '', project, id, ...Object.values(fields)].join('\n').toLowerCase();
  const { branch, model, tag, pr } = fields;
  return {
    all,
    branch: branch.toLowerCase(),
    model: model.toLowerCase(),
    tag: tag.toLowerCase(),
    pr: pr.toLowerCase(),
  };
}
