// A connection through a proxy to an address that the caller has chosen: the proxy does not resolve the name again.
import http from 'node:http';
import https from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import type { Environment } from '../node/index.ts';
import type { ProxyServer } from './proxy.ts';
import { ProxyError } from './proxy-error.ts';
import { readTls } from './tls.ts';

export interface TunnelTarget {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
}

/** Fails with a `ProxyError`, or with the reason of the signal. */
export function openTunnel(
  proxy: ProxyServer,
  { host, port }: TunnelTarget,
  env: Environment,
  signal: AbortSignal,
): Promise<Socket> {
  const { ca } = readTls(env) ?? {};
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = (proxy.url.protocol === 'https:' ? https : http).request(proxy.url, {
      method: 'CONNECT',
      path: authority,
      agent: false,
      signal,
      headers: {
        host: authority,
        ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
      },
      ...(ca === undefined ? {} : { ca }),
    });
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ProxyError(proxy, `it answered ${statusCode}`, statusCode));
    });
    // An answer without a tunnel.
    request.once('response', ({ statusCode = 0 }) => {
      request.destroy();
      reject(new ProxyError(proxy, `it answered ${statusCode}`, statusCode));
    });
    request.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.message;
      reject(signal.aborted ? signal.reason : new ProxyError(proxy, code === 'ECONNRESET' ? closed : code));
    });
    request.end();
  });
}

const closed = 'the connection was closed';
