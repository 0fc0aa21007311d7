export { PrintPage } from './print-page.tsx';
export { SessionPage, sessionKeys } from './session-page.tsx';
