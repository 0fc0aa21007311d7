// A server on pipes with two resources on two pages, and no tools.
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly uri?: string; readonly cursor?: string };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  const result = answer(request);
  if (request.id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result })}\n`);
}

function answer({ method, params = {} }: Request): object {
  const { uri = '' } = params;
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { resources: {} },
        serverInfo: { name: 'resources', version: '1' },
      };
    case 'resources/list':
      return params.cursor === undefined
        ? { resources: [{ uri: 'x://one', name: 'One', mimeType: 'text/plain' }], nextCursor: 'more' }
        : { resources: [{ uri: 'x://two', name: 'Two', mimeType: 'image/png' }] };
    case 'resources/read':
      return uri === 'x://one'
        ? { contents: [{ uri, mimeType: 'text/plain', text: `the text of ${uri}` }] }
        : { contents: [{ uri, mimeType: 'image/png', blob: Buffer.from('bytes').toString('base64') }] };
    default:
      return {};
  }
}
