// The keys of all pages but the session's, which has its own.
import { useEffect, useRef } from 'react';

const keys: readonly (readonly [readonly string[], string])[] = [
  [['j', 'k'], 'next, previous'],
  [['Enter'], 'open it'],
  [['/'], 'search all sessions'],
  [['g', 'l'], 'to the library'],
  [['g', 'u'], 'to usage'],
  [['g', 'h'], 'to health'],
  [['g', 'v'], 'to what is live'],
  [['?'], 'this help'],
  [['Esc'], 'close what is open'],
];

export function HelpDialog({ onClose }: { onClose(): void }) {
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
