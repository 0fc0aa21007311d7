export { FoundElsewhere, FoundHere } from './found-slice.tsx';
export { type Goal, type Scroller, usePursuit } from './pursuit.ts';
export { type Finding, useFinding } from './use-finding.ts';
