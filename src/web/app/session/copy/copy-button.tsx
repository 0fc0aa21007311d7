// Buttons that copy a text of the transcript as it is in the file: whole even if only its beginning is shown, without
// line numbers, without terminal colours.
import type { Text } from '../../../../export/wire/index.ts';
import { type SessionSource, useActions } from '../source/index.ts';

export interface CopyButtonProps {
  /** What is copied, as in "Copy output". */
  readonly what: string;
  text(): string | Promise<string>;
}

/** Its sign is drawn by the style sheet: a text in the page would be found by "find". */
export function CopyButton({ what, text }: CopyButtonProps) {
  const { copy } = useActions();
  const name = `Copy ${what}`;
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={name}
      title={name}
      onClick={() => copy(text(), capitalised(what))}
    />
  );
}

/** The same button outside of React, for the code blocks of a message. */
export function copyButtonElement(what: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy-button';
  button.title = `Copy ${what}`;
  button.setAttribute('aria-label', `Copy ${what}`);
  button.addEventListener('click', onClick);
  return button;
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The page may have only the beginning of a text. */
export function wholeText(source: SessionSource, { text, more, at }: Text): string | Promise<string> {
  return more === 0 || at === null ? text : source.text(at);
}
