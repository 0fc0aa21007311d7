export { LineScanner } from './line-scanner.ts';
export { field } from './places.ts';
export {
  type CallHead,
  type Head,
  type InputHead,
  type MessageHead,
  type ResultHead,
  scannedCall,
  scannedHead,
  scannedInput,
  scannedResult,
  scannedTexts,
  scannedUsage,
  scanRecord,
} from './scan.ts';
export { blockCount, isTrue, selectBlock, stringField, stringFields, timeOf, walkRecord } from './spans.ts';
