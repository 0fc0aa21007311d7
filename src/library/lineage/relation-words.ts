// The kinds of relations in words, before the id or the title of the other session.
import type { RelationKind } from './relations.ts';

export const relationWords: Readonly<Record<RelationKind, string>> = {
  'fork-of': 'fork of',
  continues: 'continues',
  'after-compaction': 'after the compaction of',
  'reopened-from': 'reopened from',
  'background-of': 'background of',
  'copy-of': 'copy of',
  'forked-as': 'forked as',
  'continued-in': 'continued in',
  'compacted-into': 'compacted into',
  'reopened-as': 'reopened as',
  'background-as': 'in the background as',
  'copied-as': 'copied as',
};
