export { nextStep, refuseWithStore, type StoreChoice, storeChoice } from './store-choice.ts';
