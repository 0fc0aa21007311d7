// The messages of an OTLP trace request and its answer: numbers, names and types of their fields, as in opentelemetry-proto 1.x. A test
// compares this table with the official definitions. Fields that are not in it are dropped: a text that the gateway does
// not know cannot be searched for secrets.

/** `id` is bytes that JSON writes in hexadecimal digits. */
export type ScalarType =
  | 'string'
  | 'bool'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'id'
  | 'fixed64'
  | 'fixed32'
  | 'uint32'
  | 'enum';

export interface FieldDefinition {
  readonly number: number;
  readonly name: string;
  readonly scalar: ScalarType | undefined;
  /** The name of the message. */
  readonly message: MessageName | undefined;
  readonly isRepeated: boolean;
}

const sources = {
  ExportTraceServiceRequest: ['1 resourceSpans ResourceSpans[]'],
  ResourceSpans: ['1 resource Resource', '2 scopeSpans ScopeSpans[]', '3 schemaUrl string'],
  Resource: ['1 attributes KeyValue[]', '2 droppedAttributesCount uint32'],
  ScopeSpans: ['1 scope InstrumentationScope', '2 spans Span[]', '3 schemaUrl string'],
  InstrumentationScope: [
    '1 name string',
    '2 version string',
    '3 attributes KeyValue[]',
    '4 droppedAttributesCount uint32',
  ],
  Span: [
    '1 traceId id',
    '2 spanId id',
    '3 traceState string',
    '4 parentSpanId id',
    '5 name string',
    '6 kind enum',
    '7 startTimeUnixNano fixed64',
    '8 endTimeUnixNano fixed64',
    '9 attributes KeyValue[]',
    '10 droppedAttributesCount uint32',
    '11 events Event[]',
    '12 droppedEventsCount uint32',
    '13 links Link[]',
    '14 droppedLinksCount uint32',
    '15 status Status',
    '16 flags fixed32',
  ],
  Event: ['1 timeUnixNano fixed64', '2 name string', '3 attributes KeyValue[]', '4 droppedAttributesCount uint32'],
  Link: [
    '1 traceId id',
    '2 spanId id',
    '3 traceState string',
    '4 attributes KeyValue[]',
    '5 droppedAttributesCount uint32',
    '6 flags fixed32',
  ],
  Status: ['2 message string', '3 code enum'],
  KeyValue: ['1 key string', '2 value AnyValue'],
  AnyValue: [
    '1 stringValue string',
    '2 boolValue bool',
    '3 intValue int64',
    '4 doubleValue double',
    '5 arrayValue ArrayValue',
    '6 kvlistValue KeyValueList',
    '7 bytesValue bytes',
  ],
  ArrayValue: ['1 values AnyValue[]'],
  KeyValueList: ['1 values KeyValue[]'],
  ExportTraceServiceResponse: ['1 partialSuccess ExportTracePartialSuccess'],
  ExportTracePartialSuccess: ['1 rejectedSpans int64', '2 errorMessage string'],
  // google.rpc.Status, the body of an error.
  RpcStatus: ['1 code enum', '2 message string'],
} as const;

export type MessageName = keyof typeof sources;

export interface MessageDefinition {
  readonly name: MessageName;
  readonly fields: readonly FieldDefinition[];
  /** By number. */
  readonly byNumber: readonly (FieldDefinition | undefined)[];
  /** Only one field has a value. */
  readonly isOneof: boolean;
}

export const definitions: Readonly<Record<MessageName, MessageDefinition>> = Object.fromEntries(
  Object.entries(sources).map(([name, lines]) => {
    const fields = lines.map(fieldOf);
    const byNumber: FieldDefinition[] = [];
    for (const field of fields) byNumber[field.number] = field;
    return [name, { name, fields, byNumber, isOneof: name === 'AnyValue' }];
  }),
) as unknown as Record<MessageName, MessageDefinition>; // the same names

function fieldOf(line: string): FieldDefinition {
  const [number, name = '', type = ''] = line.split(' ');
  const plain = type.replace('[]', '');
  const isMessage = Object.hasOwn(sources, plain);
  return {
    number: Number(number),
    name,
    scalar: isMessage ? undefined : (plain as ScalarType),
    message: isMessage ? (plain as MessageName) : undefined,
    isRepeated: type.endsWith('[]'),
  };
}
