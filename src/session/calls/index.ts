export {
  type FinishedCall,
  outcomeOf,
  resultText,
  summariseInput,
  withoutErrorTags,
  withoutFolder,
} from './call-result.ts';
