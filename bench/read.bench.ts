// The speed of reading lines: the lazy scan compared with JSON.parse of every line, with `cat` and `wc -l` as lower bounds, and
// the memory for a very large transcript.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusFiles, corpusFolder, sizeMb } from './support/corpus.ts';
import { measureAll, peakMemoryMb, printRatios } from './support/measure.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const clew = path.resolve(here, '../../dist/clew.js');
const reader = path.join(here, 'support/reader.js');

const plan = { sessions: 300, linesPerSession: 160, bytesPerLine: 4000 };
const files = corpusFiles(corpusFolder('read', plan), plan);
const node = (mode: string): readonly string[] => [process.execPath, reader, mode, ...files];
printRatios(
  `reading ${sizeMb(files).toFixed(0)} MB in ${files.length} transcripts`,
  measureAll(
    [
      { name: 'cat', command: ['cat', ...files] },
      { name: 'wc -l', command: ['wc', '-l', ...files] },
      { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
      { name: 'lines only', command: node('lines') },
      { name: 'lazy scan', command: node('scan') },
      { name: 'lazy scan, every head decoded', command: node('heads') },
      { name: 'JSON.parse of every line, from bytes', command: node('parse') },
      { name: 'JSON.parse of every line, readFile + split', command: node('split') },
    ],
    5,
  ),
  'lazy scan',
);

const hugePlan = { sessions: 1, linesPerSession: 500_000, bytesPerLine: 3200 };
const huge = corpusFolder('huge', hugePlan);
const [file = ''] = corpusFiles(huge, hugePlan);
console.log(`\none transcript of ${sizeMb([file]).toFixed(0)} MB and 500,000 lines: peak memory`);
console.log(`  clew ls                 ${peakMemoryMb([clew, 'ls', '--root', huge]).toFixed(0).padStart(5)} MB`);
console.log(`  clew show FILE --turn 1 ${peakMemoryMb([clew, 'show', file, '--turn', '1']).toFixed(0).padStart(5)} MB`);
