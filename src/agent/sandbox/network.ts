// Network access by domain (`sandbox.network.allowedDomains`). A sandbox has only its own loopback. A small program in
// it forwards connections to a socket of this process, where a proxy connects to the allowed domains.
import { lookup } from 'node:dns';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import http from 'node:http';
import { connect, isIP, type LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { isPrivateAddress, matchesHost, publicLookup } from '../access/index.ts';
import { isInSystem } from './mechanism.ts';

export interface Network {
  /** Precedes the program in the sandbox. */
  readonly prefix: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Contains the socket; the sandbox must mount it. */
  readonly folder: string;
  /** Files that the sandbox must mount, from → to. */
  readonly files: ReadonlyMap<string, string>;
}

export interface Domains {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

const address = 'http://127.0.0.1:3128';

/** A version manager keeps Node in the home folder, of which the sandbox shows as little as possible. */
const ownFolder = '/run/clew';
const ownNode = `${ownFolder}/node`;

/** A command gets the file descriptors 0 to 4 from its shell. */
const bridge = `
const { connect, createServer } = require('node:net');
const [socket, program, ...args] = process.argv.slice(1);
delete process.env.LD_LIBRARY_PATH;
createServer((client) => {
  const proxy = connect(socket);
  client.pipe(proxy).pipe(client);
  client.on('error', () => proxy.destroy());
  proxy.on('error', () => client.destroy());
}).listen(3128, '127.0.0.1', () => {
  const child = require('node:child_process').spawn(program, args, { stdio: [0, 1, 2, 3, 4] });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + require('node:os').constants.signals[signal]));
});`;

let running: (Network & { readonly domains: Domains }) | undefined;

/** One proxy per process. */
export function openNetwork(domains: Domains): Network {
  if (running !== undefined && JSON.stringify(running.domains) === JSON.stringify(domains)) return running;
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-network-'));
  const socket = path.join(folder, 'proxy');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  makeProxy(domains).listen(socket).unref();
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  const needed = libraries();
  const env = {
    ...Object.fromEntries(names.map((name) => [name, address])),
    NODE_USE_ENV_PROXY: '1',
    ...(needed.length === 0 ? {} : { LD_LIBRARY_PATH: ownFolder }),
  };
  const files = new Map([[realpathSync(process.execPath), ownNode], ...needed]);
  // Node 22 would warn in the command's output that NODE_USE_ENV_PROXY is experimental.
  running = { prefix: [ownNode, '--no-warnings', '-e', bridge, '--', socket], env, folder, files, domains };
  return running;
}

/** Builds of Homebrew and conda load libraries that no system folder has. */
function libraries(): readonly (readonly [string, string])[] {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  // Looking up the names of open connections takes seconds.
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  return sharedObjects
    .filter((file) => path.isAbsolute(file) && !file.endsWith('.node') && !isInSystem(file))
    .map((file) => [realpathSync(file), path.join(ownFolder, path.basename(file))]);
}

function makeProxy(domains: Domains): http.Server {
  const server = http.createServer((request, response) => {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    const find = url?.protocol === 'http:' ? lookupFor(url.hostname, domains) : undefined;
    if (url === undefined || find === undefined) {
      response.writeHead(403).end(refusal(url?.hostname ?? ''));
      return;
    }
    const { method, headers } = request;
    const onward = http.request(url, { method, headers, lookup: find, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', (error) => response.writeHead(502).end(`${error.message}\n`));
    request.pipe(onward);
  });
  server.on('connect', (request, client: Duplex, head: Buffer) => {
    const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d+)$/.exec(request.url ?? '') ?? [];
    const find = lookupFor(host, domains);
    client.on('error', () => undefined);
    if (find === undefined) return void client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusal(host)}`);
    const onward = connect({ host, port: Number(port), lookup: find }, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      client.pipe(onward).pipe(client);
    });
    onward.on('error', (error) => client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${error.message}\n`));
    client.on('close', () => onward.destroy());
  });
  return server;
}

/** A name that is listed literally may be in this network. A name that a star matches may not: its owner decides what it
 *  resolves to. `undefined` if the host is not on the list. */
function lookupFor(host: string, { allowed, denied }: Domains): LookupFunction | undefined {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (denied.some((pattern) => matchesHost(pattern.toLowerCase(), name))) return undefined;
  const found = allowed.filter((pattern) => matchesHost(pattern.toLowerCase(), name));
  if (found.length === 0) return undefined;
  if (found.some((pattern) => !pattern.includes('*'))) return lookup;
  // An address needs no lookup.
  return isIP(name) !== 0 && isPrivateAddress(name) ? undefined : publicLookup;
}

function refusal(host: string): string {
  return `${host} is not in sandbox.network.allowedDomains of your settings.\n`;
}
