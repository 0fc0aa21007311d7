// Every JSON line of a corpus, parsed; the tests of the line reader cover the other lines.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type JsonValue, parseJson } from '../../src/base/json/json.ts';
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
