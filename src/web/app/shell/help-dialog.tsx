// The keys of all pages but the session's, which has its own.
import { KeyHelp, type KeyMeaning } from '../key-help.tsx';

const keys: readonly KeyMeaning[] = [
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
  return <KeyHelp keys={keys} onClose={onClose} />;
}
