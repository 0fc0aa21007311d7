// The search box of the header: the typed text becomes the address of the search page.
import { goTo, usePlace } from './page/router.ts';
import { useTypedText } from './page/use-typed-text.ts';

export function SearchBox() {
  const { path, search } = usePlace();
  const asked = path === '/' ? (new URLSearchParams(search).get('q') ?? '') : '';
  // Each letter replaces the history entry, so that "back" leaves the search.
  const searchTyped = (typed: string): void => searchFor(typed, asked !== '');
  const [text, setText] = useTypedText(asked, searchTyped);
  return (
    <search className="search">
      <input
        type="search"
        aria-label="Search all sessions"
        aria-keyshortcuts="/"
        placeholder="Search all sessions"
        maxLength={400}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && text.trim() !== asked) searchTyped(text.trim());
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('main [data-stop]')?.focus();
        }}
      />
    </search>
  );
}

function searchFor(text: string, replaces: boolean): void {
  const mode = new URLSearchParams(location.search).get('mode');
  const query = new URLSearchParams({ ...(text === '' ? {} : { q: text }), ...(mode === null ? {} : { mode }) });
  goTo(text === '' ? '/' : `/?${query}`, { replaces });
}
