// The sample server on its pipes, made with the official SDK: `node sdk-main.js [JOURNAL]`.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { makeSampleServer } from './sample-server.ts';

await makeSampleServer(process.argv[2]).connect(new StdioServerTransport());
