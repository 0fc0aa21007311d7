export { type Taken, type TakeOptions, takeTraces } from './take-traces.ts';
