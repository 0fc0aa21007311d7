// Above the list: which sessions, a filter by words, and the order.
import { useCallback } from 'react';
import { counted } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { SessionFilter, SessionPage } from '../../wire/index.ts';
import {
  type Abortable,
  addressWith,
  goTo,
  useAnswer,
  useEvent,
  useServices,
  useStatus,
  useThrottled,
  useTypedText,
} from '../page/index.ts';
import type { LibraryAddress } from './library-address.ts';

const refreshMs = 1_500;

const filters: readonly { readonly only: SessionFilter | null; readonly name: string }[] = [
  { only: null, name: 'All' },
  { only: 'live', name: 'Live' },
  { only: 'starred', name: 'Starred' },
  { only: 'tagged', name: 'Tagged' },
  { only: 'damaged', name: 'Damaged' },
  { only: 'expiring', name: 'Expiring soon' },
  { only: 'unexamined', name: 'Not examined' },
  { only: 'deleted', name: 'Deleted' },
];

/** What is asked of sessions of this machine only. */
const localFilters: readonly (SessionFilter | null)[] = ['live', 'starred', 'expiring', 'unexamined', 'deleted'];

const sorts = [
  ['age', 'Last used'],
  ['title', 'Title'],
  ['project', 'Project'],
  ['turns', 'Turns'],
  ['size', 'Size'],
  ['cost', 'Cost'],
  ['damage', 'Damage'],
  ['expires', 'Deleted soonest'],
] as const;

export interface ListToolsProps {
  readonly address: LibraryAddress;
  /** How many are listed; `null` until it is known. */
  readonly sessions: number | null;
}

export function ListTools({ address, sessions }: ListToolsProps) {
  const [text, setText] = useTypedText(address.text, (typed) => goTo(addressWith({ text: typed }), { replaces: true }));
  const counts = useCounts(address.project);
  const store = useStatus()?.store ?? null;
  const namesPeople = store?.namesPeople === true;
  // A filter that nothing passes only takes room.
  const shown = filters.filter(({ only }) => {
    if (only === null || only === address.only) return true;
    return (counts?.[only] ?? 0) > 0 && (store === null || !localFilters.includes(only));
  });
  return (
    <div className="list-tools">
      <fieldset className="filters">
        <legend className="unseen">Which sessions</legend>
        {shown.map(({ only, name }) => (
          <button
            key={name}
            type="button"
            aria-pressed={address.only === only}
            onClick={() => goTo(addressWith({ only, ...(only === 'expiring' ? { sort: 'expires' } : {}) }))}
          >
            {name}
            {only === null || counts === null ? '' : <span className="quiet"> {counts[only]}</span>}
          </button>
        ))}
      </fieldset>
      <output className="quiet list-count">{sessions === null ? '' : counted(sessions, 'session')}</output>
      <input
        type="search"
        aria-label="Filter the list"
        placeholder={`Filter titles, ${namesPeople ? 'person:' : 'branch:'}, model:, tag:`}
        title={`branch:, model:, tag:${namesPeople ? ', person:' : ''} and pr: look only there`}
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <label className="sort">
        <span className="quiet">Sort</span>
        <select
          value={address.sort}
          onChange={(event) => goTo(addressWith({ sort: event.currentTarget.value, reverse: null }))}
        >
          {sorts.map(([sort, name]) =>
            sort === 'expires' && store !== null ? null : (
              <option key={sort} value={sort}>
                {name}
              </option>
            ),
          )}
        </select>
      </label>
    </div>
  );
}

function useCounts(project: string | null): SessionPage['counts'] {
  const { client } = useServices();
  const ask = useCallback(
    async (options: Abortable) => {
      const query = { counts: true, limit: 1, ...(project === null ? {} : { project }) };
      return (await readJson(client.sessions.$get({ query }, options))).counts;
    },
    [client, project],
  );
  const { answer, askAgain } = useAnswer(ask);
  useEvent('sessions', useThrottled(askAgain, refreshMs));
  return answer;
}
