// What a message shows while the pointer is on it, or the focus in it: when it was written and by which model, a button
// that copies it, and its raw line.
import type { ReactNode } from 'react';
import { neutralise } from '../../../../base/text/index.ts';
import type { Stamp, Text } from '../../../../export/wire/index.ts';
import { formatTime } from '../format/index.ts';
import { useSource } from '../source/index.ts';
import { CopyButton, wholeText } from './copy-button.tsx';

export interface MessageToolsProps {
  /** `prompt` or `answer`. */
  readonly what: string;
  readonly text: Text;
  readonly stamp: Stamp;
  /** The buttons for the raw line. */
  readonly children: ReactNode;
}

export function MessageTools({ what, text, stamp, children }: MessageToolsProps) {
  const source = useSource();
  return (
    <span className="message-tools">
      <bdi className="stamp">{neutralise(stampText(stamp))}</bdi>
      <CopyButton what={what} text={() => wholeText(source, text)} />
      {children}
    </span>
  );
}

export function stampText({ at, model }: Stamp): string {
  return [at === null ? '' : formatTime(at), model ?? ''].filter((part) => part !== '').join(' · ');
}
