export { OpeningSession } from './opening.tsx';
export { PrintPage } from './print-page.tsx';
export { sessionKeys } from './session-keys.ts';
export { SessionPage } from './session-page.tsx';
