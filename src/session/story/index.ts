export { attachedLine } from './attached.ts';
export { makeCall } from './call.ts';
export { compareTexts, diffText, editHunks, hunksOf, isEdit } from './hunks.ts';
export { isEmpty, type LineItem, lineItems, type ResultItem } from './line.ts';
export { nameOfAgent } from './names.ts';
export { compactionFacts } from './notes.ts';
export { Story, turnsIn } from './story.ts';
export { refTo, valueBelow } from './text.ts';
