export { formatReference, type Reference, readReference, referenceWords, sessionPart, turnPart } from './reference.ts';
export { namedTurn, type PlacedTurn, referenceOf } from './session-turns.ts';
