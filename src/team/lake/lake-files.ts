// The names of the files of a lake, so that a list of names says what was exported:
//   TABLE/month=2026-03/part-VERSION-2026-03-0.parquet   rows of one export; the second month is that of their sessions
//   versions/month=2026-03/part-EXPORT.parquet           the sessions of one export and month: the last file that is written
import type { Month } from '../contract/index.ts';

/** `2026-03`, or `unknown`. */
export type LakeMonth = string;

/** Of the store's months. */
export function lakeMonth(month: Month): LakeMonth {
  return month === '1970-01-01' ? 'unknown' : month.slice(0, 7);
}

export function storeMonth(month: LakeMonth): Month {
  return month === 'unknown' ? '1970-01-01' : `${month}-01`;
}

export interface DataFile {
  readonly name: string;
  readonly version: number;
  /** Of the sessions whose rows it has. */
  readonly sessionMonth: LakeMonth;
}

export interface VersionsFile {
  readonly name: string;
  readonly export: number;
  readonly sessionMonth: LakeMonth;
}

export function dataFileName(
  table: string,
  month: LakeMonth,
  { version, sessionMonth }: Pick<DataFile, 'version' | 'sessionMonth'>,
  nth: number,
): string {
  return `${table}/month=${month}/part-${version}-${sessionMonth}-${nth}.parquet`;
}

export function versionsFileName(sessionMonth: LakeMonth, exportNumber: number): string {
  return `versions/month=${sessionMonth}/part-${exportNumber}.parquet`;
}

/** Without rows, so that a query over a table without any finds its columns. */
export function emptyFileName(table: string): string {
  return `${table}/month=unknown/part-0.parquet`;
}

const month = String.raw`\d{4}-\d{2}|unknown`;
const dataName = new RegExp(String.raw`^\w+/month=(?:${month})/part-(\d+)-(${month})-\d+\.parquet$`);
const versionsName = new RegExp(String.raw`^versions/month=(${month})/part-([1-9]\d*)\.parquet$`);

export function parseDataFile(name: string): DataFile | undefined {
  const [, version, sessionMonth] = dataName.exec(name) ?? [];
  return version === undefined || sessionMonth === undefined
    ? undefined
    : { name, version: Number(version), sessionMonth };
}

export function parseVersionsFile(name: string): VersionsFile | undefined {
  const [, sessionMonth, number] = versionsName.exec(name) ?? [];
  return number === undefined || sessionMonth === undefined
    ? undefined
    : { name, export: Number(number), sessionMonth };
}
