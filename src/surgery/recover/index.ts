export { planRecover, recoveredNote, recoveredTitle } from './recover.ts';
