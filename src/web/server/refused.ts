// A request that is refused at the door, before any route → its answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refused } from './guard.ts';
import { safeHeaders } from './safe-headers.ts';

export function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): void {
  // Whatever else it meant to send is not waited for.
  response.shouldKeepAlive = request.method === 'GET' || request.method === 'HEAD';
  answerRefusal(response, refused);
}

export function answerRefusal(response: ServerResponse, { status, error, next }: Refused): void {
  const body = JSON.stringify({ error, next });
  response.writeHead(status, { ...safeHeaders, 'content-type': 'application/json' }).end(body);
}
