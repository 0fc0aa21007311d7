// A server that speaks S3, for a test: OpenStack Swift from Debian's `python3-swift`, with one bucket. In front of it a switch
// can fail or lose answers, as networks do.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { AwsV4Signer } from 'aws4fetch';
import { afterTest, type Endable } from './after-test.ts';
import { projectRoot } from './paths.ts';
import { temporaryFolder } from './temp-folder.ts';

const python = '/usr/bin/python3';

/** For `test(…, { skip })`: why there is no server, or `false`. */
export const noS3Server: string | false = existsSync('/usr/lib/python3/dist-packages/swift')
  ? false
  : 'python3-swift is not installed';

export interface S3Server {
  /** For the commands under test. */
  readonly env: Readonly<Record<string, string>>;
  /** Without the switch: for a command that the test waits for. */
  readonly directEnv: Readonly<Record<string, string>>;
  readonly port: number;
  /** `GET /lake/…`, in order. */
  readonly requests: string[];
  /** Decides about each request: `fail` answers 503, `lose` forwards it and closes the connection instead of answering. */
  meddle: (request: string) => 'fail' | 'lose' | undefined;
}

export interface S3ServerOptions {
  /** Whether it knows `If-None-Match: *`. */
  readonly isConditional?: boolean;
}

/** With an empty bucket `lake`. */
export async function startS3(context: Endable, { isConditional = true }: S3ServerOptions = {}): Promise<S3Server> {
  const folder = path.join(temporaryFolder(context), 's3');
  mkdirSync(folder);
  const program = path.join(projectRoot, 'test/support/s3-server.py');
  const child = spawn(python, [program, folder, ...(isConditional ? ['conditional'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1' },
  });
  afterTest(context, () => {
    child.kill('SIGKILL');
  });
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).once('line', (line) => resolve(Number(line)));
    child.once('exit', (code) => reject(new Error(`the S3 server ended with ${code}`)));
  });
  const server: S3Server = {
    port: 0,
    env: {},
    directEnv: {},
    requests: [],
    meddle: () => undefined,
  };
  const front = http.createServer((request, response) => forward(server, port, request, response));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  afterTest(context, () => {
    front.close();
    front.closeAllConnections();
  });
  const frontPort = (front.address() as AddressInfo).port;
  Object.assign(server, {
    port: frontPort,
    env: environmentOf(frontPort),
    directEnv: environmentOf(port),
  });
  await createBucket(`http://127.0.0.1:${frontPort}/lake`);
  server.requests.length = 0;
  return server;
}

function environmentOf(port: number): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test:clew',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
}

function forward(server: S3Server, port: number, request: http.IncomingMessage, response: http.ServerResponse): void {
  const name = `${request.method} ${request.url}`;
  server.requests.push(name);
  const fault = server.meddle(name);
  if (fault === 'fail') {
    request.resume();
    request.once('end', () => response.writeHead(503).end());
    return;
  }
  const inner = http.request(
    { port, host: '127.0.0.1', agent: false, method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      if (fault === 'lose') {
        answer.resume();
        answer.once('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      // Swift sends a body with some answers to HEAD, which Node takes for a failure.
      if (request.method === 'HEAD') response.end();
      else answer.pipe(response);
    },
  );
  inner.once('error', () => {
    if (!response.headersSent) response.destroy();
  });
  request.pipe(inner);
}

async function createBucket(url: string): Promise<void> {
  const signed = await new AwsV4Signer({
    method: 'PUT',
    url,
    headers: { 'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    accessKeyId: 'test:clew',
    secretAccessKey: 'secret',
    service: 's3',
    region: 'us-east-1',
  }).sign();
  const { status } = await fetch(signed.url, { method: 'PUT', headers: signed.headers });
  if (status !== 200) throw new Error(`no bucket: status ${status}`);
}
