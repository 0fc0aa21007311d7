// The gateway: what a sender cannot forge, what leaves it, and what reaches the store.
const attribution = 'src/team/gateway/traces/attribution.ts';
const lines = 'src/team/gateway/push/session-lines.ts';
const shapes = 'src/team/gateway/push/shapes.ts';
const decode = 'src/team/gateway/otlp/decode-protobuf.ts';
const redaction = 'src/team/gateway/traces/redact-request.ts';
const prepare = 'src/team/gateway/traces/prepare.ts';

export const mutants = [
  {
    id: 'forged-key-with-capitals',
    file: attribution,
    find: '    .toLowerCase()',
    replace: '    .trim()',
    tests: ['team/gateway/prepare'],
  },
  {
    id: 'forged-in-a-map',
    file: attribution,
    find: 'if (inner?.values !== undefined && isAbove)',
    replace: 'if (inner?.values !== undefined && isAbove && prefix !== prefix)',
    tests: ['team/gateway/prepare'],
  },
  {
    id: 'no-second-pass',
    file: redaction,
    find: 'if (state.size === 0) return;',
    replace: 'if (state.size >= 0) return;',
    tests: ['team/gateway/prepare'],
  },
  {
    id: 'span-known-by-its-ids-alone',
    file: prepare,
    find: ".update(encodeProtobuf('Span', span))",
    replace: '.update(String(span.traceId)).update(String(span.spanId))',
    tests: ['team/gateway/prepare'],
  },
  {
    id: 'cut-session-is-whole',
    file: lines,
    find: 'if (head === undefined || !this.#isWhole)',
    replace: 'if (head === undefined)',
    tests: ['team/gateway/session-lines'],
  },
  {
    id: 'path-out-of-the-folder',
    file: shapes,
    find: " && part !== '..'",
    replace: '',
    tests: ['team/gateway/session-lines'],
  },
  {
    id: 'nested-without-end',
    file: decode,
    find: 'if (depth > mostDepth)',
    replace: 'if (depth > 1e9)',
    tests: ['team/gateway/otlp'],
  },
];
