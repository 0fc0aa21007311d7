// The keys of the page.
import { useEffect, useRef } from 'react';

const keys: readonly (readonly [string, string])[] = [
  ['j', 'next turn'],
  ['k', 'previous turn'],
  ['g', 'to the beginning'],
  ['G', 'to the end'],
  ['/', 'find in this session'],
  ['o', 'show or hide the outline'],
  ['?', 'this help'],
  ['Esc', 'close what is open'],
];

export function Help({ onClose }: { onClose(): void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog className="help" ref={ref} onClose={onClose} aria-label="Keyboard help">
      <h2>Keys</h2>
      <dl>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
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
