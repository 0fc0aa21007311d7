export { checkSetup } from './check.ts';
