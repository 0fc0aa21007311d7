// Two readers of OTLP that are not ours: the official protobuf definitions, read by protobufjs, and a receiver that
// listens on loopback (@elastic/mockotlpserver, which brings the definitions along).
import { request } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import protobuf from 'protobufjs';

const load = createRequire(import.meta.url);
const receiverRoot: string = path.resolve(path.dirname(load.resolve('@elastic/mockotlpserver')), '..');

/** A message type of `opentelemetry.proto.collector.trace.v1`. */
export function officialType(name: string): protobuf.Type {
  const root = new protobuf.Root();
  root.resolvePath = (_, target) => path.join(receiverRoot, target);
  root.loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto', { keepCase: false });
  return root.lookupType(`opentelemetry.proto.collector.trace.v1.${name}`);
}

export interface Receiver {
  readonly url: string;
  /** Requests, as the receiver decoded them. */
  readonly received: readonly unknown[];
  readonly close: () => Promise<void>;
}

interface MockServer {
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly httpUrl: URL;
}

export async function startReceiver(): Promise<Receiver> {
  const { MockOtlpServer } = load('@elastic/mockotlpserver') as { MockOtlpServer: new (options: object) => MockServer };
  const received: unknown[] = [];
  const options = { services: ['http'], httpHostname: '127.0.0.1', httpPort: 0, logLevel: 'fatal' };
  const server = new MockOtlpServer({ ...options, onTrace: (trace: unknown) => received.push(trace) });
  await server.start();
  return { url: String(server.httpUrl), received, close: () => server.close() };
}

export interface Answer {
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

export function post(url: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          contentType: answer.headers['content-type'],
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
