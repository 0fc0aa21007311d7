// The keys of the session page, for its help and for the palette.
import type { KeyMeaning } from '../keys/index.ts';

export const sessionKeys: readonly KeyMeaning[] = [
  [['j'], 'next turn'],
  [['k'], 'previous turn'],
  [['g'], 'to the beginning'],
  [['G'], 'to the end'],
  [['e', 'E'], 'next, previous error'],
  [['c', 'C'], 'next, previous call'],
  [['x', 'X'], 'next, previous compaction'],
  [['/'], 'find in this session'],
  [['o'], 'show or hide the outline'],
  [['Ctrl', 'k'], 'go to a page, a session or an action'],
  [['i'], 'show or hide the turn in detail: context, cost, to-do, files'],
  [['?'], 'this help'],
  [['Esc'], 'close what is open'],
];
