// The stack of an error in the bundled program → the same stack with places in the sources. Only a checkout has source
// maps next to the files of dist/; without them the stack is unchanged.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export function sourceStack(stack: string): string {
  return stack.replace(
    /(file:\/\/[^\s()]+):(\d+):(\d+)/g,
    (place: string, url: string, line: string, column: string) =>
      sourcePlace(fileURLToPath(url), Number(line), Number(column)) ?? place,
  );
}

function sourcePlace(file: string, line: number, column: number): string | undefined {
  const map = readMap(`${file}.map`);
  const entry = map?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return undefined;
  const source = path.resolve(path.dirname(file), entry.originalSource);
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
