// The failure of a proxy, for messages: it names the proxy and its variable, never the password.
import { type ProxyServer, proxyName } from './proxy.ts';

/** The request did not get through the proxy. The message names the proxy without its password. */
export class ProxyError extends Error {
  /** The proxy answered, and refused. */
  readonly isRefusal: boolean;

  constructor(proxy: ProxyServer, reason: string, status?: number) {
    const advice = status === 407 ? `; it needs a user name and a password in ${proxy.variable}` : '';
    super(`through the proxy ${proxyName(proxy)} of ${proxy.variable}: ${reason}${advice}`);
    this.name = 'ProxyError';
    this.isRefusal = status !== undefined && status < 500;
  }
}
