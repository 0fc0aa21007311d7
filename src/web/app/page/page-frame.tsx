// The frame of every page except the session page: a heading that gets the focus after a navigation, and a region that
// keeps its scroll position.
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { documentTitle } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import type { Problem } from './hooks.ts';
import { followScroll, savedScroll, usePlace } from './router.ts';

export interface PageFrameProps {
  readonly title: string;
  readonly className?: string;
  /** Next to the heading. */
  readonly tools?: ReactNode;
  /** The content is complete enough to restore the scroll position. */
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
    document.title = documentTitle(title);
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after every navigation
  useEffect(() => {
    // A screen reader announces the heading; after a page load it announces the page anyway.
    if (visit > 0 && document.activeElement?.closest('.search') == null)
      heading.current?.focus({ preventScroll: true });
  }, [path]);
  useEffect(() => (region.current === null ? undefined : followScroll(region.current)), [region]);
  const restored = useRef(-1);
  useLayoutEffect(() => {
    if (!isReady || restored.current === visit || region.current === null) return;
    restored.current = visit;
    region.current.scrollTop = savedScroll();
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

export function Waiting({ what }: { readonly what: string }) {
  return <output className="state quiet">{what}…</output>;
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="state empty-state">{children}</div>;
}

interface ProblemNoteProps {
  readonly problem: Problem;
  /** Read aloud at once, which is the default. */
  readonly isUrgent?: boolean;
  onRetry?: () => void;
}

export function ProblemNote({ problem, isUrgent = true, onRetry }: ProblemNoteProps) {
  return (
    <div className="state" role={isUrgent ? 'alert' : undefined}>
      <p className="problem">
        <Words text={sentence(problem.message)} />
      </p>
      {problem.next === '' ? null : (
        <p className="quiet">
          <Words text={sentence(problem.next)} />
        </p>
      )}
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
