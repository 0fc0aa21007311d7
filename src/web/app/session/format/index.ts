export { documentTitle } from './document-title.ts';
export { formatKnownMoney, formatMoney, formatTime } from './format.ts';
export { branchText, sessionFacts } from './session-facts.ts';
