export { FolderStorage } from './folder-storage.ts';
export { type LakeFile, type LakeStorage, writeWhole } from './lake-storage.ts';
export { openStorage } from './open-storage.ts';
