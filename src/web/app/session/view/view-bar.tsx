// The view switch of a session: All, Conversation, Prompts, Errors; a chip for each tool; everything open or closed.
import { useState } from 'react';
import { formatCount } from '../../../../base/text/index.ts';
import type { SessionHead } from '../../../../export/wire/index.ts';
import type { ViewFilter, ViewName } from '../source/index.ts';
import { Words } from '../text/index.ts';

export interface ViewBarProps {
  readonly head: SessionHead;
  readonly filter: ViewFilter;
  onFilter(filter: ViewFilter): void;
  onFoldAll(isOpen: boolean): void;
}

const names: readonly (readonly [ViewName, string, string])[] = [
  ['all', 'All', 'Every block, with what the client sent only to the model'],
  ['conversation', 'Conversation', 'Prompts, answers, calls and errors'],
  ['prompts', 'Prompts', 'What the user typed'],
  ['errors', 'Errors', 'Failed calls and requests'],
];

const shownChips = 8;

export function ViewBar({ head, filter, onFilter, onFoldAll }: ViewBarProps) {
  const [hasAll, setAll] = useState(false);
  const errors = head.turns.reduce((sum, row) => sum + row.errors, 0);
  const tools = [...head.tools].sort((a, b) => b.calls - a.calls);
  const isChosen = (name: string): boolean => filter.tools.includes(name);
  const chips = tools.filter(({ name }, i) => hasAll || i < shownChips || isChosen(name));
  const toggle = (name: string): void => {
    const chosen = isChosen(name) ? filter.tools.filter((each) => each !== name) : [...filter.tools, name];
    onFilter({ view: filter.view === 'prompts' ? 'conversation' : filter.view, tools: chosen });
  };
  return (
    <div className="view-bar">
      <fieldset className="filters">
        <legend className="unseen">View</legend>
        {names.map(([view, name, title]) => (
          <button
            type="button"
            key={view}
            title={title}
            aria-pressed={filter.view === view}
            onClick={() => onFilter({ view, tools: view === 'prompts' ? [] : filter.tools })}
          >
            {name}
            {view === 'errors' && errors > 0 ? <span className="count">{formatCount(errors)}</span> : null}
          </button>
        ))}
      </fieldset>
      {tools.length === 0 ? null : (
        <fieldset className="chips">
          <legend className="unseen">Only calls of these tools</legend>
          {chips.map(({ name, calls }) => (
            <button type="button" key={name} aria-pressed={isChosen(name)} onClick={() => toggle(name)}>
              <Words text={name} />
              <span className="count">{formatCount(calls)}</span>
            </button>
          ))}
          {chips.length === tools.length ? null : (
            <button type="button" onClick={() => setAll(true)}>
              {tools.length - chips.length} more
            </button>
          )}
        </fieldset>
      )}
      <div className="fold-all">
        <button type="button" onClick={() => onFoldAll(true)}>
          Expand all
        </button>
        <button type="button" onClick={() => onFoldAll(false)}>
          Collapse all
        </button>
      </div>
    </div>
  );
}
