// The filters of a search: how to match, what kind of text, which tool, which days, which project. Each is in the address.
import type { ProjectRow, SearchMode, TextKind } from '../../wire/index.ts';
import { searchModes, textKinds } from '../../wire/index.ts';
import { ProjectSelect } from '../library/index.ts';
import { addressWith, goTo } from '../page/index.ts';
import type { SearchAddress } from './search-address.ts';

const modeNames: Readonly<Record<SearchMode, string>> = { words: 'Words', exact: 'Exact', regex: 'Regular expression' };

export const kindNames: Readonly<Record<TextKind, string>> = {
  title: 'title',
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  'tool-input': 'call',
  'tool-output': 'output',
  note: 'note',
  attachment: 'attachment',
};

const kindChoices: Readonly<Record<TextKind, string>> = {
  prompt: 'Prompts',
  answer: 'Answers',
  thinking: 'Thinking',
  'tool-input': 'Tool input',
  'tool-output': 'Tool output',
  note: 'Notes',
  attachment: 'Attachments',
  title: 'Titles',
};

export interface SearchFiltersProps {
  readonly address: SearchAddress;
  readonly projects: readonly ProjectRow[];
  /** The tools of the best matches. */
  readonly tools: readonly string[];
}

export function SearchFilters({ address, projects, tools }: SearchFiltersProps) {
  const choose = (changes: Readonly<Record<string, string | null>>): void =>
    goTo(addressWith({ ...changes, page: null }), { replaces: true });
  const { mode, kind, tool, since, until, project } = address;
  const named = tool === null || tools.includes(tool) ? tools : [tool, ...tools];
  return (
    <>
      <fieldset className="filters">
        <legend className="unseen">How to search</legend>
        {searchModes.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={mode === each}
            onClick={() => choose({ mode: each === 'words' ? null : each })}
          >
            {modeNames[each]}
          </button>
        ))}
      </fieldset>
      <select aria-label="In" value={kind ?? ''} onChange={(event) => choose({ kind: event.currentTarget.value })}>
        <option value="">All text</option>
        {textKinds.map((each) => (
          <option key={each} value={each}>
            {kindChoices[each]}
          </option>
        ))}
      </select>
      {named.length === 0 ? null : (
        <select aria-label="Tool" value={tool ?? ''} onChange={(event) => choose({ tool: event.currentTarget.value })}>
          <option value="">All tools</option>
          {named.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      )}
      <label className="search-day">
        From{' '}
        <input type="date" value={since ?? ''} onChange={(event) => choose({ since: event.currentTarget.value })} />
      </label>
      <label className="search-day">
        to <input type="date" value={until ?? ''} onChange={(event) => choose({ until: event.currentTarget.value })} />
      </label>
      <ProjectSelect projects={projects} current={project} />
    </>
  );
}
