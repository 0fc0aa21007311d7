export { decodeJson } from './decode-json.ts';
export { decodeProtobuf } from './decode-protobuf.ts';
export { definitions, type MessageName } from './definitions.ts';
export { encodeProtobuf } from './encode-protobuf.ts';
export {
  type AnyValue,
  type Attributed,
  type KeyValue,
  OtlpError,
  type ResourceSpans,
  type Scope,
  type ScopeSpans,
  type Span,
  type TraceRequest,
} from './model.ts';
