// The response of a server → what the user can do about it.
import type { Destination } from './config/destinations.ts';
import type { Outcome } from './outbox/post.ts';

/** `undefined` on success. */
export function adviceFor(outcome: Outcome, destination: Destination): string | undefined {
  if (outcome.kind === 'taken') {
    if (outcome.rejectedSpans === 0) return undefined;
    return `check the profile (${destination.profile}): does this server support it?`;
  }
  const status = /^(\d{3})\b/.exec(outcome.message)?.[1];
  return status === undefined ? networkAdvice(outcome.message, destination) : statusAdvice(Number(status), destination);
}

function statusAdvice(status: number, { url, profile, format, headers }: Destination): string {
  const kept = 'traces of sessions are kept and sent later';
  if (status >= 300 && status < 400) return 'set the endpoint to the address of the redirect';
  if (status === 401 || status === 403) return keyAdvice(headers);
  if (status === 404 || status === 405) return `check the address: spans are posted to ${urlWithoutQuery(url)}`;
  if (status === 413) return 'raise the request size limit of the server or its proxy';
  if (status === 415) return `set CLEW_TRACE_FORMAT=${format === 'json' ? 'protobuf' : 'json'}`;
  if (status === 429) return `wait a moment and try again; ${kept}`;
  if (status === 408 || status >= 500) return `check the log of the server; ${kept}`;
  return `check CLEW_TRACE_PROFILE (${profile}) and CLEW_TRACE_FORMAT (${format})`;
}

function keyAdvice(headers: Destination['headers']): string {
  const isLangfuse = headers['x-langfuse-ingestion-version'] !== undefined;
  if (isLangfuse)
    return 'check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, and that LANGFUSE_HOST is in the same region';
  return Object.keys(headers).length === 0
    ? 'the server requires a key: set CLEW_TRACE_HEADERS=authorization=Bearer%20KEY, or the header it expects'
    : 'check the key in CLEW_TRACE_HEADERS, or in the headers of trace.json';
}

function networkAdvice(message: string, { url }: Destination): string {
  const { host, hostname, protocol } = new URL(url);
  if (/ECONNREFUSED/.test(message))
    return `nothing listens at ${host}: start the server, or correct the port (usually 4318 for OTLP over HTTP, 6006 for Phoenix)`;
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return `host ${hostname} not found: check the address and the network`;
  if (/certificate|CERT_|self.signed/i.test(message))
    return 'add the certificate of the server to NODE_EXTRA_CA_CERTS, or use a trusted one';
  if (/^no answer within/.test(message)) return `${host} did not respond: check the port, the proxy and the firewall`;
  if (/wrong version number|EPROTO|packet length/i.test(message))
    return `${host} does not support TLS: use http instead of https`;
  if (/Parse Error|Expected HTTP|socket hang up|ECONNRESET/i.test(message))
    return protocol === 'https:'
      ? `check that ${host} accepts OTLP over HTTP`
      : `check that ${host} accepts OTLP over HTTP (port 4317 is for gRPC, 4318 for HTTP), and whether it requires https`;
  return 'check the address and the network';
}

function urlWithoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
