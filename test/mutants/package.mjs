// The public surface: bytes of any kind, spans for programs, stacks for developers.
export const mutants = [
  {
    id: 'bytes-ignore-the-offset-of-a-view',
    file: 'src/base/node/node-types.ts',
    find: 'Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)',
    replace: 'Buffer.from(bytes.buffer)',
    tests: ['base/node/node-types'],
  },
  {
    id: 'bytes-are-copied',
    file: 'src/base/node/node-types.ts',
    find: 'Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)',
    replace: 'Buffer.from(bytes)',
    tests: ['base/node/node-types'],
  },
  {
    id: 'parse-line-takes-buffers-only',
    file: 'src/format/line/line.ts',
    find: 'const bytes = asBuffer(line);',
    replace: 'const bytes = line as Buffer;',
    tests: ['base/node/node-types'],
  },
  {
    id: 'scan-takes-buffers-only',
    file: 'src/format/scan/scan.ts',
    find: 'const bytes = asBuffer(record);',
    replace: 'const bytes = record as Buffer;',
    tests: ['base/node/node-types'],
  },
  {
    id: 'redact-takes-buffers-only',
    file: 'src/surgery/redact/session-redactor.ts',
    find: 'const whole = asBuffer(bytes);',
    replace: 'const whole = bytes as Buffer;',
    tests: ['base/node/node-types'],
  },
  {
    id: 'debug-stack-maps-the-next-line',
    file: 'src/cli/debug-stack.ts',
    find: 'findEntry(line - 1, column - 1)',
    replace: 'findEntry(line, column - 1)',
    tests: ['cli/debug-stack'],
  },
  {
    id: 'debug-stack-counts-from-zero',
    file: 'src/cli/debug-stack.ts',
    find: 'entry.originalLine + 1',
    replace: 'entry.originalLine',
    tests: ['cli/debug-stack'],
  },
];
