// The sample server on its pipes: `node stdio-main.js [JOURNAL]`. It is written without the SDK, which takes three times
// as long to load as everything else here.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { answerSample, listSampleTools, sampleInfo, sampleInstructions } from './sample-tools.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: string;
    readonly requestId?: number | string;
    readonly _meta?: { readonly progressToken?: number | string };
  };
  readonly result?: { readonly roots: readonly { readonly name?: string }[] };
}

const [journal] = process.argv.slice(2);
const running = new Map<Message['id'], AbortController>();
let hearRoots: (answer: Message) => void = () => undefined;

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function call({ id, params = {} }: Message): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const result = await answerSample(params.name ?? '', params.arguments ?? {}, {
    signal: controller.signal,
    note: (line) => {
      if (journal !== undefined) appendFileSync(journal, `${line}\n`);
    },
    progress: async (update) =>
      send({ method: 'notifications/progress', params: { progressToken: params._meta?.progressToken, ...update } }),
    listRoots: async () => {
      const answer = new Promise<Message>((resolve) => {
        hearRoots = resolve;
      });
      send({ id: 'roots', method: 'roots/list' });
      return (await answer).result?.roots ?? [];
    },
  });
  running.delete(id);
  if (!controller.signal.aborted) send({ id, result });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  const { id, method, params } = message;
  switch (method) {
    case 'initialize':
      send({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: sampleInfo,
          instructions: sampleInstructions,
        },
      });
      break;
    case 'tools/list':
      send({ id, result: listSampleTools(params?.cursor) });
      break;
    case 'tools/call':
      void call(message);
      break;
    case 'notifications/cancelled':
      running.get(params?.requestId)?.abort();
      break;
    case undefined:
      hearRoots(message);
  }
});
