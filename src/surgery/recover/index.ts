export { planRecover, recoveredTranscript } from './recover.ts';
