// The search box of the header: what is typed becomes the address of the library's search, as one types.
import { useEffect, useState } from 'react';
import { goTo, usePlace } from '../router.ts';

/** A letter more replaces the search before it, so that "back" leaves the search and not a letter of it. */
const typingMs = 120;

export function SearchBox() {
  const { path, search } = usePlace();
  const asked = path === '/' ? (new URLSearchParams(search).get('q') ?? '') : '';
  const [text, setText] = useState(asked);
  const [isTyping, setTyping] = useState(false);
  useEffect(() => {
    // A space at the end is not searched for, but stays, as another word may follow.
    if (!isTyping) setText((typed) => (typed.trim() === asked ? typed : asked));
  }, [asked, isTyping]);
  useEffect(() => {
    if (!isTyping) return;
    const timer = setTimeout(() => {
      setTyping(false);
      if (text.trim() !== asked) searchFor(text.trim(), asked !== '');
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, asked, isTyping]);
  return (
    <search className="search">
      <input
        type="search"
        aria-label="Search all sessions"
        aria-keyshortcuts="/"
        placeholder="Search all sessions"
        maxLength={400}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setTyping(true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && text.trim() !== asked) searchFor(text.trim(), asked !== '');
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
