// A server with a tool for every kind of answer, made with the official SDK; the same for pipes and for HTTP.
import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { tinyImage } from '../../support/tiny-images.ts';

type Extra = {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number } | undefined;
  readonly sendNotification: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total: number; message: string };
  }) => Promise<void>;
};

const image = tinyImage('png', 4, 4).toString('base64');
const anything = { type: 'object', properties: {}, additionalProperties: true } as const;

const tools = [
  {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  ...['pictures', 'resources', 'structured', 'fail', 'wait', 'die', 'huge', 'progress', 'environment'].map((name) => ({
    name,
    description: name,
    inputSchema: anything,
  })),
];

/** `journal`: a file that hears of every call, and of every call that was cancelled. */
export function makeSampleServer(journal: string | undefined): Server {
  const server = new Server(
    { name: 'sample', version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: '  Be gentle.  ' },
  );
  const note = (line: string): void => {
    if (journal !== undefined) appendFileSync(journal, `${line}\n`);
  };
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    // Two pages, so that both are asked for.
    params?.cursor === undefined
      ? { tools: tools.slice(0, 3) as never, nextCursor: 'more' }
      : { tools: tools.slice(3) as never },
  );
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    note(`call ${params.name}`);
    return answer(server, params.name, params.arguments ?? {}, extra as Extra, note) as never;
  });
  return server;
}

async function answer(
  server: Server,
  name: string,
  input: Readonly<Record<string, unknown>>,
  extra: Extra,
  note: (line: string) => void,
): Promise<object> {
  const text = (words: string) => ({ type: 'text', text: words });
  switch (name) {
    case 'echo':
      return { content: [text(String(input.text))] };
    case 'pictures':
      return {
        content: [
          { type: 'image', data: image, mimeType: 'image/jpeg' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        ],
      };
    case 'resources':
      return {
        content: [
          { type: 'resource', resource: { uri: 'a://b', text: 'inside' } },
          { type: 'resource', resource: { uri: 'a://c', blob: image, mimeType: 'image/png' } },
          { type: 'resource', resource: { uri: 'a://d', blob: 'AAAA', mimeType: 'application/zip' } },
          { type: 'resource_link', uri: 'a://e', name: 'link', description: 'far away' },
        ],
      };
    case 'structured':
      return { content: [], structuredContent: { a: [1, { b: true }] } };
    case 'fail':
      return { content: [text('it broke')], isError: true };
    case 'huge':
      return {
        content: [
          text('h'.repeat(150_000)),
          text('more'),
          ...Array(25).fill({ type: 'image', data: image, mimeType: 'image/png' }),
        ],
      };
    case 'progress': {
      const progressToken = extra._meta?.progressToken ?? 0;
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 2, message: 'half way' },
      });
      // A question back and its answer, by which the client has heard of the progress too.
      const { roots } = await server.listRoots();
      return { content: [text(`done in ${roots.map(({ name }) => name)}`)] };
    }
    case 'environment':
      return { content: [text(JSON.stringify({ env: process.env, args: process.argv.slice(2), pid: process.pid }))] };
    case 'die':
      process.exit(3);
      break;
    case 'wait':
      note('waiting');
      await new Promise<void>((resolve) => extra.signal.addEventListener('abort', () => resolve()));
      note('cancelled');
  }
  return { content: [] };
}
