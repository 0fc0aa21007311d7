export { findInSession, sliceOfText } from './find.ts';
export { sessionHead } from './head.ts';
export { branchNumbered, nodesOf, partsOf, placeOfAgent, placeOfLine } from './parts.ts';
export { type OpenSession, shownPlace } from './shown.ts';
export { firstChars, imageAt, linePlace, startOf, textAt } from './text.ts';
export { cutDiff, turnViews } from './turn-view.ts';
