export { exportLake, type LakeOptions, type LakeReport } from './export-lake.ts';
export { type LakeTableName, lakeTableNames } from './lake-tables.ts';
export { type LakeFile, type LakeStorage, openStorage } from './storage/index.ts';
