export { PrintPage } from './print-page.tsx';
export { SessionPage } from './session-page.tsx';
