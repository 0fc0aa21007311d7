// The sample server on its pipes: `node stdio-main.js [JOURNAL]`.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { makeSampleServer } from './sample-server.ts';

await makeSampleServer(process.argv[2]).connect(new StdioServerTransport());
