// A forward proxy on loopback: records what it is asked for, and forwards, refuses or closes.
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface FakeProxy {
  readonly url: string;
  readonly port: number;
  /** `GET http://host/path` and `CONNECT host:port`, in order. */
  readonly asked: string[];
  /** The values of `Proxy-Authorization`. */
  readonly credentials: (string | undefined)[];
}

export interface FakeProxyOptions {
  /** Answers with this status, or closes the connection, instead of forwarding. */
  readonly refuses?: number | 'close';
  /** Where tunnels lead, whatever they were asked for. */
  readonly tunnelPort?: number;
}

export async function startFakeProxy(
  context: { after(end: () => void): unknown },
  { refuses, tunnelPort }: FakeProxyOptions = {},
): Promise<FakeProxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    credentials.push(request.headers['proxy-authorization']);
    if (refuses === 'close') return void request.socket.destroy();
    if (refuses !== undefined) return void response.writeHead(refuses).end('refused');
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = http.request(request.url ?? '', { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => undefined);
    asked.push(`CONNECT ${request.url}`);
    credentials.push(request.headers['proxy-authorization']);
    if (refuses === 'close') return void socket.destroy();
    if (refuses !== undefined) return void socket.end(`HTTP/1.1 ${refuses} No\r\ncontent-length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(tunnelPort ?? Number(port), tunnelPort === undefined ? hostname : '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, port, asked, credentials };
}
