// The sample server made with the official SDK, for pipes and for HTTP.
import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { answerSample, listSampleTools, sampleInfo, sampleInstructions } from './sample-tools.ts';

type Extra = {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number } | undefined;
  readonly sendNotification: (notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; total: number; message: string };
  }) => Promise<void>;
};

/** `journal`: a file that hears of every call, and of every call that was cancelled. */
export function makeSampleServer(journal: string | undefined): Server {
  const server = new Server(sampleInfo, { capabilities: { tools: {} }, instructions: sampleInstructions });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => listSampleTools(params?.cursor) as never);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, given) => {
    const { signal, _meta, sendNotification } = given as Extra;
    return answerSample(params.name, params.arguments ?? {}, {
      signal,
      note: (line) => {
        if (journal !== undefined) appendFileSync(journal, `${line}\n`);
      },
      progress: (update) =>
        sendNotification({
          method: 'notifications/progress',
          params: { progressToken: _meta?.progressToken ?? 0, ...update },
        }),
      listRoots: async () => (await server.listRoots()).roots,
    }) as never;
  });
  return server;
}
