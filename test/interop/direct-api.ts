// The mock of the Messages API under the name api.anthropic.com: the client behaves differently there than
// with `ANTHROPIC_BASE_URL`. A proxy on loopback forwards that one name to the mock, over TLS with a temporary
// certificate that the client trusts, and refuses every other name. Nothing leaves the machine.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Certificate, type MockApiOptions, startMockApi } from './mock-api.ts';

const execFileAsync = promisify(execFile);
const host = 'api.anthropic.com';

export interface ApiForClient {
  /** What the environment of the client must hold to reach it. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** The mock as a gateway: the client is given its address. */
export async function startGateway(options: MockApiOptions): Promise<ApiForClient> {
  const api = await startMockApi(options);
  return { env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${api.port}` }, close: api.close };
}

/** The mock as api.anthropic.com. */
export async function startDirectApi(options: MockApiOptions): Promise<ApiForClient> {
  certificate ??= makeCertificate();
  const { authority, ...own } = await certificate;
  const api = await startMockApi({ ...options, certificate: own });
  const proxy = createServer((_, response) => response.writeHead(403).end());
  proxy.on('connect', (request, socket, head) => {
    if (request.url !== `${host}:443`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(api.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    env: { HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: '127.0.0.1,localhost', NODE_EXTRA_CA_CERTS: authority },
    close: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await api.close();
    },
  };
}

/** One for all runs of this process: making a key takes longer than a small session. */
let certificate: Promise<Certificate & { readonly authority: string }> | undefined;

async function makeCertificate(): Promise<Certificate & { readonly authority: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'clew-direct-'));
  const file = (name: string): string => path.join(folder, name);
  const openssl = (...args: readonly string[]): Promise<unknown> => execFileAsync('openssl', args);
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  await openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=loopback');
  await openssl('req', ...key, '-keyout', file('key.pem'), '-out', file('csr.pem'), '-subj', `/CN=${host}`);
  await writeFile(file('names'), `subjectAltName=DNS:${host}\n`);
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('names')];
  await openssl('x509', '-req', '-in', file('csr.pem'), ...signed, '-out', file('cert.pem'), '-days', '2');
  return {
    key: await readFile(file('key.pem'), 'utf8'),
    cert: await readFile(file('cert.pem'), 'utf8'),
    authority: file('ca.pem'),
  };
}
