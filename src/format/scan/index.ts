export { field } from './places.ts';
export {
  type CallHead,
  type Head,
  type InputHead,
  type MessageHead,
  type ResultHead,
  scannedHead,
  scannedInput,
  scanRecord,
} from './scan.ts';
export { scannedCall, scannedResult, scannedTexts, scannedUsage } from './scan-message.ts';
export { blockCount, isTrue, selectBlock, stringField, stringFields, timeOf, walkRecord } from './spans.ts';
