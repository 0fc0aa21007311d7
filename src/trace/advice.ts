// What a server answered to a trace → what the user can do about it.
import type { Destination } from './destinations.ts';
import type { Outcome } from './post.ts';

/** `undefined` where all is well. */
export function adviceFor(outcome: Outcome, destination: Destination): string | undefined {
  if (outcome.kind === 'taken') {
    if (outcome.rejectedSpans === 0) return undefined;
    return `check that the profile is right for this server (it is ${destination.profile})`;
  }
  const status = /^(\d{3})\b/.exec(outcome.message)?.[1];
  return status === undefined ? networkAdvice(outcome.message, destination) : statusAdvice(Number(status), destination);
}

function statusAdvice(status: number, { url, profile, format, headers }: Destination): string {
  const kept = 'traces of sessions are kept meanwhile and sent later';
  if (status >= 300 && status < 400) return 'set the endpoint to the address that it redirects to';
  if (status === 401 || status === 403) return keyAdvice(headers);
  if (status === 404 || status === 405) return `check the address: spans are posted to ${pathOf(url)}`;
  if (status === 413) return 'raise the limit for requests at the server or at the proxy in front of it';
  if (status === 415) return `set CLEW_TRACE_FORMAT=${format === 'json' ? 'protobuf' : 'json'}`;
  if (status === 429) return `wait a moment and run it again; ${kept}`;
  if (status === 408 || status >= 500) return `look into the log of the server; ${kept}`;
  return `check CLEW_TRACE_PROFILE (it is ${profile}) and CLEW_TRACE_FORMAT (it is ${format})`;
}

function keyAdvice(headers: Destination['headers']): string {
  const isLangfuse = headers['x-langfuse-ingestion-version'] !== undefined;
  if (isLangfuse)
    return 'check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, and that LANGFUSE_HOST is of the same region';
  return Object.keys(headers).length === 0
    ? 'it wants a key: set CLEW_TRACE_HEADERS=authorization=Bearer%20KEY, or the header that the server asks for'
    : 'check the key in CLEW_TRACE_HEADERS, or in the headers of trace.json';
}

function networkAdvice(message: string, { url }: Destination): string {
  const { host, hostname, protocol } = new URL(url);
  if (/ECONNREFUSED/.test(message))
    return `nothing listens at ${host}: start the server, or correct the port (OTLP over HTTP is usually 4318, Phoenix 6006)`;
  if (/ENOTFOUND|EAI_AGAIN/.test(message))
    return `the name ${hostname} is not known: check the address and the network`;
  if (/certificate|CERT_|self.signed/i.test(message))
    return 'name the certificate of the server in NODE_EXTRA_CA_CERTS, or use one that is trusted';
  if (/^no answer within/.test(message)) return `nothing came back from ${host}: check the port, a proxy or a firewall`;
  if (/wrong version number|EPROTO|packet length/i.test(message))
    return `${host} does not speak TLS: use http instead of https`;
  if (/Parse Error|Expected HTTP|socket hang up|ECONNRESET/i.test(message))
    return protocol === 'https:'
      ? `check that ${host} takes OTLP over HTTP`
      : `check that ${host} takes OTLP over HTTP (port 4317 is for gRPC, 4318 for HTTP), and whether it wants https`;
  return 'check the address and the network';
}

function pathOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
