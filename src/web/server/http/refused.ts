// The response to a refused request: JSON for the page's code, and a short HTML page for an address opened in a tab.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../../wire/wire.ts';
import type { Refused } from './guard.ts';
import { safeHeaders } from './safe-headers.ts';

export function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): void {
  // Does not wait for the rest of the request.
  response.shouldKeepAlive = request.method === 'GET' || request.method === 'HEAD';
  answerRefusal(request, response, refused);
}

export function answerRefusal(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { status, error, next }: Refused,
): void {
  const [type, body] = wantsPage(headers)
    ? ['text/html; charset=utf-8', refusalPage({ error, next })]
    : ['application/json', JSON.stringify({ error, next })];
  response.writeHead(status, { ...safeHeaders, 'content-type': type }).end(body);
}

/** Browsers send `sec-fetch-mode: navigate` for a tab; old browsers only accept HTML. */
export function wantsPage(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? /\btext\/html\b/.test(headers.accept ?? '') : mode === 'navigate';
}

export function refusalPage({ error, next }: Failure): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>Clew</title></head>',
    `<body><h1>Clew cannot show this</h1><p>${asHtml(sentence(error))}.</p>`,
    next === '' ? '' : `<p>What to do: ${asHtml(next)}.</p>`,
    '<p><a href="/">All sessions</a></p></body></html>\n',
  ].join('\n');
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
