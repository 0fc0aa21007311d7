export { type Inode, readInode, storedInode } from './inode.ts';
export { followLinks, isWithin, realPath } from './real-path.ts';
export { makeFolderSync, openRegularFile, readRegularFile, readRegularText } from './regular-file.ts';
