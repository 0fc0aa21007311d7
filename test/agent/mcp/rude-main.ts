// A server without manners, made without the SDK: `node rude-main.js MODE`. It greets as the protocol says where MODE needs
// it, and then misbehaves.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
const reply = (id: unknown, result: unknown): boolean => say({ jsonrpc: '2.0', id, result });

if (mode === 'dies') {
  process.stderr.write('warming up\nno database\n');
  process.exit(1);
}
if (mode === 'stubborn') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  setInterval(() => undefined, 1000);
}
// A child that holds the pipes and outlives its parent, if it is let.
const child =
  mode === 'parent' ? spawn(process.execPath, ['-e', 'setInterval(()=>{},1000)'], { stdio: 'inherit' }) : undefined;

const tools = [
  { name: 'fine', inputSchema: { type: 'object', properties: {}, anyOf: [{ required: ['a'] }] } },
  { name: 'bad key', inputSchema: { type: 'object', properties: { 'ключ!': { type: 'string' } } } },
  { name: 'not an object', inputSchema: { type: 'string' } },
  { name: 'no schema', description: 42, annotations: 'none' },
  { name: 'no schema!' },
  { name: 7 },
  'not even a tool',
  null,
  { name: 'x'.repeat(300), inputSchema: { type: 'object' } },
];

const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

const answers: Readonly<Record<string, (id: unknown) => void>> = {
  'wrong-types': (id) => reply(id, { content: 'text', isError: 'no', structuredContent: 7 }),
  'odd-pieces': (id) =>
    reply(id, { content: [null, 7, 'x', [1], {}, { type: 'text' }, { type: 'image' }, { type: 'new', a: '\ud800' }] }),
  deep: (id) => process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[${deep}]}}\n`),
  garbage: (id) => {
    process.stdout.write('plain words\n{"half": \n[]\n7\n{"jsonrpc":"2.0","id":99999,"result":{}}\n\n');
    reply(id, { content: [{ type: 'text', text: 'after the garbage' }] });
  },
  endless: () => {
    const chunk = 'x'.repeat(1024 * 1024);
    const more = (): void => {
      while (process.stdout.write(chunk));
      process.stdout.once('drain', more);
    };
    more();
  },
  null: (id) => reply(id, null),
  wait: () => undefined,
  error: (id) => say({ jsonrpc: '2.0', id, error: { code: -32602, message: 'never heard of it' } }),
};

const toolsOf: Readonly<Record<string, unknown>> = {
  'odd-tools': tools,
  answers: Object.keys(answers).map((name) => ({ name })),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  if (mode === 'silent') return;
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    reply(id, {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'rude', version: '0' },
    });
  else if (method === 'tools/list')
    reply(
      id,
      mode === 'no-list'
        ? { tools: 'none' }
        : { tools: toolsOf[mode ?? ''] ?? [{ name: 'it' }], nextCursor: mode === 'turning' ? 'on' : undefined },
    );
  else if (method === 'tools/call' && mode === 'parent')
    reply(id, { content: [{ type: 'text', text: String(child?.pid) }] });
  else if (method === 'tools/call') answers[mode === 'answers' ? params.name : mode]?.(id);
});
