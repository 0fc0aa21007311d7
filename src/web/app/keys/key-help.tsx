// A dialog with the keyboard shortcuts of a page.
import { useEffect, useRef } from 'react';

/** Keys to press in sequence, and what they do. */
export type KeyMeaning = readonly [names: readonly string[], meaning: string];

export function KeyHelp({ keys, onClose }: { readonly keys: readonly KeyMeaning[]; onClose(): void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog className="help" ref={ref} onClose={onClose} aria-label="Keyboard help">
      <h2>Keys</h2>
      <dl>
        {keys.map(([names, meaning]) => (
          <div key={meaning}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => ref.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
