export { decodeResponse, encodeJson, encodeProtobuf, splitBatches } from './otlp.ts';
