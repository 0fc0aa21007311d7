// Every line of a corpus that is JSON, parsed; what is no JSON there is the business of the line reader's tests.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type JsonValue, parseJson } from '../../src/base/json.ts';
import { corpusFolder } from './corpus.ts';
import { filesBelow } from './paths.ts';

export function* corpusValues(...corpora: readonly ('real' | 'public')[]): Generator<JsonValue> {
  for (const corpus of corpora) {
    for (const file of filesBelow(path.join(corpusFolder, 'corpus', corpus), '.jsonl')) {
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        const value = parseJson(line);
        if (value !== undefined) yield value;
      }
    }
  }
}
