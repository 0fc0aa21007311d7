// Bedrock, Vertex AI and Foundry on loopback, in front of the scripted server: takes the path, the body and the headers
// of the platform, and answers in its form. Bedrock's is a stream of binary frames, written here by hand.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { asObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';

export interface PlatformRequest {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: JsonObject;
}

export interface FakePlatform {
  readonly url: string;
  readonly requests: PlatformRequest[];
}

type Platform = 'bedrock' | 'vertex' | 'foundry';

const paths: Readonly<Record<Platform, RegExp>> = {
  bedrock: /^\/model\/([^/]+)\/invoke-with-response-stream$/,
  vertex: /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/]+):streamRawPredict$/,
  foundry: /^\/anthropic\/(v1\/messages)$/,
};

export async function startFakePlatform(
  context: { after(end: () => void): unknown },
  platform: Platform,
  scripted: { readonly url: string; readonly key: string },
): Promise<FakePlatform> {
  const requests: PlatformRequest[] = [];
  const server = http.createServer(async (request, response) => {
    const body = asObject(parseJson(await readText(request))) ?? {};
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers, body });
    const model = paths[platform].exec(path)?.[1];
    if (model === undefined) return void response.writeHead(404).end('{"message":"no such path"}');
    const { anthropic_version: _, anthropic_beta: betas, ...rest } = body;
    const plain = decodeURIComponent(model).replace(/^.*anthropic\.|@.*$|-v\d+(?::\d+)?$/g, '');
    const answer = await fetch(`${scripted.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': scripted.key,
        ...(Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : {}),
      },
      body: JSON.stringify({ ...rest, ...(platform === 'foundry' ? {} : { model: plain }), stream: true }),
    });
    const said = await answer.text();
    if (!answer.ok || platform !== 'bedrock') {
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(said);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream', 'x-amzn-requestid': 'aws-1' });
    for (const [, data = ''] of said.matchAll(/^data: (.*)$/gm)) response.write(frame(data));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Lengths, checksum, headers, payload, checksum: the framing of application/vnd.amazon.eventstream. */
function frame(data: string): Buffer {
  const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(data).toString('base64') }));
  const headers = Buffer.concat(
    [
      [':event-type', 'chunk'],
      [':content-type', 'application/json'],
      [':message-type', 'event'],
    ].map(([name = '', value = '']) =>
      Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7, 0, value.length]),
        Buffer.from(value),
      ]),
    ),
  );
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + headers.length + payload.length + 4, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}
