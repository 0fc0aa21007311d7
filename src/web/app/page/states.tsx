// What a page shows without data: waiting, empty, or a problem.
import type { ReactNode } from 'react';
import { Words } from '../session/text/text.tsx';
import type { Problem } from './hooks.ts';

export function Waiting({ what }: { readonly what: string }) {
  return <output className="state quiet">{what}…</output>;
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="state empty-state">{children}</div>;
}

export function ProblemNote({ problem, onRetry }: { readonly problem: Problem; onRetry?: () => void }) {
  return (
    <div className="state" role="alert">
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
