export { findInSession } from './find.ts';
export { sessionHead } from './head.ts';
export { branchNumbered, nodesOf, partsOf, placeOfAgent, placeOfLine } from './parts.ts';
export { imageAt, startOf, textAt } from './text.ts';
export { turnViews } from './turn-view.ts';
