export { formatReference, type Reference, readReference, referenceWords, sessionPart, turnPart } from './reference.ts';
