export { askedHunks, type Drawing, diffLines, wholeLines } from './drawing.ts';
export type { Item } from './item.ts';
export { itemLines } from './item-lines.ts';
export { type LiveShell, liveLines } from './live-lines.ts';
export { addItem, addNotice, emptyView, type ViewState, viewAfter } from './view-state.ts';
