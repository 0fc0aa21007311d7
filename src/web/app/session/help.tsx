// The keys of the session page.
import { KeyHelp, type KeyMeaning } from '../keys/key-help.tsx';

const keys: readonly KeyMeaning[] = [
  [['j'], 'next turn'],
  [['k'], 'previous turn'],
  [['g'], 'to the beginning'],
  [['G'], 'to the end'],
  [['/'], 'find in this session'],
  [['o'], 'show or hide the outline'],
  [['?'], 'this help'],
  [['Esc'], 'close what is open'],
];

export function Help({ onClose }: { onClose(): void }) {
  return <KeyHelp keys={keys} onClose={onClose} />;
}
