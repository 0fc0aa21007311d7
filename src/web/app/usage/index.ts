export { UsagePage } from './usage-page.tsx';
