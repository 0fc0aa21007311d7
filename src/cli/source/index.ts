export { cellsFor } from './local-source.ts';
export { withSource, withStore } from './open-source.ts';
export { privateFolder, removeFolder } from './private-folder.ts';
export { onStoreCopies, packedSource } from './store-copy.ts';
