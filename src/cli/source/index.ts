export { cellsFor } from './local-source.ts';
export { withSource, withStore } from './open-source.ts';
export { onStoreCopies, packedSource } from './store-copy.ts';
