export { type Fetch, type FetchOptions, makeFetch } from './fetch.ts';
export { type ProxyServer, proxyFor, proxyName, readProxy } from './proxy.ts';
export { ProxyError } from './proxy-error.ts';
export { readTls, type TlsOptions } from './tls.ts';
export { openTunnel, type TunnelTarget } from './tunnel.ts';
