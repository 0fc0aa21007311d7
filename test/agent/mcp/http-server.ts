// The sample server over HTTP on loopback, streamable or with server-sent events, with a token if wanted; it can forget
// its sessions, as a server does that was started again.

import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { makeSampleServer } from './sample-server.ts';

export interface SampleHttp {
  readonly url: string;
  readonly headers: IncomingHttpHeaders[];
  readonly methods: string[];
  forgetSessions(): void;
  close(): Promise<void>;
}

export async function serveSample(kind: 'http' | 'sse', token?: string): Promise<SampleHttp> {
  const headers: IncomingHttpHeaders[] = [];
  const methods: string[] = [];
  const streams = new Map<string, StreamableHTTPServerTransport>();
  const events = new Map<string, SSEServerTransport>();
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    methods.push(request.method ?? '');
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    if (kind === 'sse') {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response);
        events.set(transport.sessionId, transport);
        await makeSampleServer(undefined).connect(transport);
      } else {
        const transport = events.get(url.searchParams.get('sessionId') ?? '');
        if (transport === undefined) response.writeHead(404).end('no such session');
        else await transport.handlePostMessage(request, response);
      }
      return;
    }
    const id = request.headers['mcp-session-id'];
    let transport = streams.get(String(id));
    if (transport === undefined && id !== undefined) {
      response.writeHead(404).end('no such session');
      return;
    }
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (session) => {
          streams.set(session, made);
        },
      });
      await makeSampleServer(undefined).connect(made as never);
      transport = made;
    }
    await transport.handleRequest(request, response);
  });
  return {
    url: await listen(server),
    headers,
    methods,
    forgetSessions: () => streams.clear(),
    close: () => end(server),
  };
}

export async function listen(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

export async function end(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
