export { type Check, checkShape, orMissing, textUpTo } from './check.ts';
export { MalformedError, SessionReader, writeSession } from './session-lines.ts';
export { goodbyeShape, helloShape, removeShape } from './shapes.ts';
