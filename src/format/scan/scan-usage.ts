// The `usage` of the walked record, read from its bytes, because parsing it as an object is slower.
import { parseJson } from '../../base/json/json.ts';
import { makeUsage, noUsage, readCompactions, tokenCount, type Usage } from '../entry/usage.ts';
import { field } from './places.ts';
import { endOf, isObject, startOf, stringField } from './spans.ts';

export function scannedUsage(bytes: Buffer): Usage | undefined {
  if (!isObject(bytes, field.usage)) return undefined;
  for (let i = 0; i < countFields.length; i++) {
    const number = countFields[i] as number;
    const start = startOf(number);
    counts[i] = start === 0 ? undefined : count(bytes, start, endOf(number));
  }
  return makeUsage({
    inputTokens: counts[0] ?? 0,
    outputTokens: counts[1] ?? 0,
    cacheReadTokens: counts[2] ?? 0,
    cacheWriteTokens: counts[3] ?? 0,
    split5mTokens: counts[4],
    split1hTokens: counts[5],
    webSearches: counts[6] ?? 0,
    fast: stringField(bytes, field.speed) === 'fast',
    usOnly: stringField(bytes, field.inferenceGeo) === 'us',
    batch: stringField(bytes, field.serviceTier) === 'batch',
    compactions: scannedCompactions(bytes),
  });
}

/** Every response has a list of iterations; it is parsed only if it may contain a compaction. */
function scannedCompactions(bytes: Buffer): Usage['compactions'] {
  const start = startOf(field.iterations);
  if (start === 0) return noUsage.compactions;
  const list = bytes.subarray(start, endOf(field.iterations));
  if (!list.includes('compaction') && !list.includes('\\')) return noUsage.compactions;
  return readCompactions(parseJson(list.toString('utf8')));
}

const countFields: readonly number[] = [
  ...[field.inputTokens, field.outputTokens, field.cacheReadTokens, field.cacheWriteTokens],
  ...[field.split5mTokens, field.split1hTokens, field.webSearches],
];
const counts: (number | undefined)[] = [];

function count(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - 0x30;
    if (digit < 0 || digit > 9 || end - start > 15) return tokenCount(parseJson(bytes.toString('utf8', start, end)));
    value = value * 10 + digit;
  }
  return value;
}
