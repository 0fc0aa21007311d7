// The frame of every page but the session's: a heading that takes the focus when one comes here, and a region that
// scrolls and remembers where it stood.
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { followScroll, scrollBefore, usePlace } from '../router.ts';

export interface PageFrameProps {
  readonly title: string;
  readonly className?: string;
  /** Beside the heading. */
  readonly tools?: ReactNode;
  /** There is enough to scroll to where one was. */
  readonly isReady: boolean;
  readonly children: ReactNode;
  readonly scrollRef?: React.RefObject<HTMLElement | null>;
}

export function PageFrame({ title, className = '', tools, isReady, children, scrollRef }: PageFrameProps) {
  const own = useRef<HTMLElement>(null);
  const region = scrollRef ?? own;
  const heading = useRef<HTMLHeadingElement>(null);
  const { visit, path } = usePlace();
  useEffect(() => {
    document.title = `${title} · Clew`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever one comes to another page
  useEffect(() => {
    // Who reads the page aloud hears where it is; the first page has just been loaded, and says so itself.
    if (visit > 0 && document.activeElement?.closest('.search') == null)
      heading.current?.focus({ preventScroll: true });
  }, [path]);
  useEffect(() => (region.current === null ? undefined : followScroll(region.current)), [region]);
  const restored = useRef(-1);
  useLayoutEffect(() => {
    if (!isReady || restored.current === visit || region.current === null) return;
    restored.current = visit;
    region.current.scrollTop = scrollBefore();
  }, [isReady, visit, region]);
  return (
    <main id="main" className={`page ${className}`} ref={region}>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {tools}
      </div>
      {children}
    </main>
  );
}
