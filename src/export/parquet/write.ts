// Sessions, one after the other → a folder of Parquet tables that appears whole or not at all.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { CountedMessage } from '../../session/usage/index.ts';
import { diskError } from '../../store/index.ts';
import type { ExportSource } from '../source/index.ts';
import { Dataset, type WrittenPart } from './dataset.ts';
import { type RowOptions, sessionRows, usageRows } from './session-rows.ts';

export interface ParquetSource {
  /** Each is read and dropped before the next. */
  readonly sources: AsyncIterable<ExportSource>;
  /** Called when all sessions are read. */
  countedMessages(): readonly CountedMessage[];
  readonly prices: PriceList;
}

/** Replaces what is in `folder`. */
export async function writeParquet(
  { sources, countedMessages, prices }: ParquetSource,
  folder: string,
  options: RowOptions = {},
): Promise<readonly WrittenPart[]> {
  const staged = `${folder}.partial-${randomBytes(4).toString('hex')}`;
  const dataset = new Dataset(staged);
  try {
    makeFolderSync(path.dirname(folder), 0o777);
    mkdirSync(staged, { mode: 0o700 });
    for await (const source of sources)
      for await (const { table, row } of sessionRows(source, options)) dataset.add(table, row);
    for (const { table, row } of usageRows(countedMessages(), prices)) dataset.add(table, row);
    const parts = dataset.finish();
    takePlace(staged, folder);
    return parts;
  } catch (error) {
    dataset.abandon();
    rmSync(staged, { recursive: true, force: true });
    throw diskError(error, 'write', folder);
  }
}

function takePlace(staged: string, folder: string): void {
  const old = `${staged}-old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(staged, folder);
  rmSync(old, { recursive: true, force: true });
}
