// One way of reading a list of files, as a separate process: reader.js MODE FILE…
import { readFileSync } from 'node:fs';
import { field } from '../../src/format/scan/places.ts';
import { scanRecord } from '../../src/format/scan/scan.ts';
import { startOf, walkRecord } from '../../src/format/scan/spans.ts';
import { readLines } from '../../src/store/lines.ts';

const [mode, ...files] = process.argv.slice(2);
let found = 0;
for (const file of files) found += readFile(file);
console.log(found);

function readFile(file: string): number {
  if (mode === 'split') {
    const lines = readFileSync(file, 'utf8').split('\n');
    return lines.filter((line) => line !== '' && JSON.parse(line).uuid !== undefined).length;
  }
  let count = 0;
  for (const batch of readLines(file)) {
    for (const { bytes } of batch) if (readLine(bytes)) count++;
  }
  return count;
}

function readLine(bytes: Buffer): boolean {
  switch (mode) {
    case 'scan':
      return walkRecord(bytes) && startOf(field.uuid) !== 0;
    case 'heads':
      return scanRecord(bytes)?.uuid !== undefined;
    case 'parse':
      return JSON.parse(bytes.toString('utf8')).uuid !== undefined;
    default:
      return bytes.length > 0;
  }
}
