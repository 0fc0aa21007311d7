// The keyboard shortcuts of all pages except the session page.
import { KeyHelp, type KeyMeaning } from './keys/key-help.tsx';

const keys: readonly KeyMeaning[] = [
  [['j', 'k'], 'next, previous item'],
  [['Enter'], 'open the item'],
  [['/'], 'search all sessions'],
  [['g', 'l'], 'go to the library'],
  [['g', 'u'], 'go to usage'],
  [['g', 'h'], 'go to health'],
  [['g', 'v'], 'go to live sessions'],
  [['?'], 'show this help'],
  [['Esc'], 'close the dialog'],
];

export function HelpDialog({ onClose }: { onClose(): void }) {
  return <KeyHelp keys={keys} onClose={onClose} />;
}
