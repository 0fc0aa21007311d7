// Filters and sort order above the list.
import { addressWith, goTo } from '../page/router.ts';
import { useTypedText } from '../page/use-typed-text.ts';
import type { LibraryAddress } from './library-address.ts';
import type { FilterCounts } from './library-page.tsx';

const filters = [
  { only: null, name: 'All' },
  { only: 'live', name: 'Live' },
  { only: 'damaged', name: 'Damaged' },
  { only: 'expiring', name: 'Expiring soon' },
  { only: 'unexamined', name: 'Not examined' },
] as const;

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

export function ListTools({ address, counts }: { readonly address: LibraryAddress; readonly counts: FilterCounts }) {
  const [text, setText] = useTypedText(address.text, (typed) => goTo(addressWith({ text: typed }), { replaces: true }));
  return (
    <div className="list-tools">
      <fieldset className="filters">
        <legend className="unseen">Which sessions</legend>
        {filters.map(({ only, name }) => {
          const count = only === null ? null : counts[only];
          return (
            <button
              key={name}
              type="button"
              aria-pressed={address.only === only}
              onClick={() => goTo(addressWith({ only, ...(only === 'expiring' ? { sort: 'expires' } : {}) }))}
            >
              {name}
              {count === null ? '' : <span className="quiet"> {count}</span>}
            </button>
          );
        })}
      </fieldset>
      <input
        type="search"
        aria-label="Filter by title, folder or id"
        placeholder="Filter titles"
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
          {sorts.map(([sort, name]) => (
            <option key={sort} value={sort}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
