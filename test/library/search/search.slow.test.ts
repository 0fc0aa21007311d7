import { test } from 'node:test';
import { corpusFiles } from '../../support/transcripts.ts';
import { checkExact, checkRecall, checkRegex, indexOf } from '../exact-check.ts';

test('--exact finds all there is in the corpora, for any part of any text', (context) => {
  const files = corpusFiles();
  const { database, root } = indexOf(context, files);
  const isLong = process.env.CLEW_LONG === '1';
  checkExact(database, isLong ? 1000 : 40);
  checkRecall(database, root, files, isLong ? 300 : 12);
  checkRegex(database);
});
