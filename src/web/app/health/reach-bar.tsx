// How much of a session resuming loads, as a bar and in numbers.
import type { ReachView } from '../../wire/index.ts';

export function ReachBar({ reach, name }: { readonly reach: ReachView; readonly name: string }) {
  const part = reach.of === 0 ? 1 : reach.loaded / reach.of;
  return (
    <span className="reach">
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="reach-of" width="100" height="1" />
        <rect className="reach-loaded" width={100 * Math.min(1, part)} height="1" />
      </svg>
      <span>
        <span className="unseen">{name} </span>
        {reach.loaded} of {reach.of}
      </span>
    </span>
  );
}
