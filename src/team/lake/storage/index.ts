export { FolderStorage } from './folder-storage.ts';
export type { LakeFile, LakeStorage } from './lake-storage.ts';
export { openStorage } from './open-storage.ts';
