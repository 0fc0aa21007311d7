// A lake in a bucket. A small file is one request, a large one an upload in parts that appears when it is completed; both only
// if there is no such file (`If-None-Match: *`).
import { randomUUID } from 'node:crypto';
import { UserError } from '../../../base/errors/index.ts';
import type { Environment } from '../../../base/node/index.ts';
import type { LakeFile, LakeStorage } from './lake-storage.ts';
import { S3Client, xmlElements, xmlText } from './s3-client.ts';

/** S3 takes at least 5 MB, apart from the last part. */
const usualPartBytes = 8 * 1024 * 1024;

export interface S3Options {
  readonly partBytes?: number;
  /** Names in an answer. */
  readonly pageSize?: number;
}

export class S3Storage implements LakeStorage {
  readonly name: string;
  readonly #client: S3Client;
  /** Ends with a slash, unless it is empty. */
  readonly #prefix: string;
  readonly #partBytes: number;
  readonly #pageSize: number;

  private constructor(
    client: S3Client,
    bucket: string,
    prefix: string,
    { partBytes = usualPartBytes, pageSize = 1000 }: S3Options,
  ) {
    this.#client = client;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#partBytes = partBytes;
    this.#pageSize = pageSize;
    this.name = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
  }

  /** `s3://BUCKET/PREFIX` */
  static async open(address: string, env: Environment, options: S3Options = {}): Promise<S3Storage> {
    const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(address) ?? [];
    if (bucket === undefined) throw new UserError(`"${address}" is not an address of S3`, 'write s3://BUCKET/PREFIX');
    const folders = prefix.split('/').filter((part) => part !== '');
    return new S3Storage(await S3Client.open(bucket, env), bucket, folders.join('/'), options);
  }

  async *list(): AsyncGenerator<string> {
    let token: string | undefined;
    do {
      const { body } = await this.#client.send({
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          'encoding-type': 'url',
          'max-keys': String(this.#pageSize),
          prefix: this.#prefix,
          ...(token === undefined ? {} : { 'continuation-token': token }),
        },
      });
      const xml = Buffer.from(body).toString();
      for (const content of xmlElements(xml, 'Contents')) {
        const key = decodeURIComponent((xmlText(content, 'Key') ?? '').replaceAll('+', ' '));
        if (key.startsWith(this.#prefix) && !key.endsWith('/')) yield key.slice(this.#prefix.length);
      }
      token = xmlText(xml, 'IsTruncated') === 'true' ? unescapeXml(xmlText(xml, 'NextContinuationToken')) : undefined;
    } while (token !== undefined);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const answer = await this.#client.send({ method: 'GET', key: this.#prefix + name, expected: [404] });
    if (answer.status !== 404) return answer.body;
    // The bucket itself is missing.
    if (xmlText(Buffer.from(answer.body).toString(), 'Code') === 'NoSuchBucket')
      throw new UserError(`there is no bucket for ${this.name}`, 'create the bucket, or correct its name');
    return undefined;
  }

  create(name: string): LakeFile {
    return new S3File(this.#client, this.#prefix + name, this.#partBytes);
  }

  async remove(name: string): Promise<void> {
    await this.#client.send({ method: 'DELETE', key: this.#prefix + name, expected: [404] });
  }

  async removeUnfinished(): Promise<void> {
    const { body, status } = await this.#client.send({
      method: 'GET',
      key: '',
      query: { uploads: '', prefix: this.#prefix },
      expected: [501],
    });
    if (status === 501) return; // a server that cannot list them
    for (const upload of xmlElements(Buffer.from(body).toString(), 'Upload')) {
      const key = unescapeXml(xmlText(upload, 'Key'));
      const uploadId = unescapeXml(xmlText(upload, 'UploadId'));
      if (key === undefined || uploadId === undefined || !key.startsWith(this.#prefix)) continue;
      await this.#client.send({ method: 'DELETE', key, query: { uploadId }, expected: [404] });
    }
  }
}

class S3File implements LakeFile {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #partBytes: number;
  /** Distinguishes a file of ours from one of another export, if an answer was lost. */
  readonly #mark = randomUUID();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #uploadId: string | undefined;
  #tags: string[] = [];

  constructor(client: S3Client, key: string, partBytes: number) {
    this.#client = client;
    this.#key = key;
    this.#partBytes = partBytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= this.#partBytes) await this.#sendPart();
  }

  async finish(): Promise<boolean> {
    if (this.#uploadId === undefined)
      return this.#isOurs({
        method: 'PUT',
        headers: { [markHeader]: this.#mark },
        body: this.#takeWaiting(),
      });
    if (this.#waitingBytes > 0) await this.#sendPart();
    const parts = this.#tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const isOurs = await this.#isOurs({
      method: 'POST',
      query: { uploadId: this.#uploadId },
      body: Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`),
    });
    if (!isOurs) await this.abandon();
    return isOurs;
  }

  async abandon(): Promise<void> {
    this.#waiting = [];
    if (this.#uploadId === undefined) return;
    const query = { uploadId: this.#uploadId };
    await this.#client.send({ method: 'DELETE', key: this.#key, query, expected: [404] }).catch(() => undefined);
  }

  async #sendPart(): Promise<void> {
    if (this.#uploadId === undefined) {
      const headers = { [markHeader]: this.#mark };
      const { body } = await this.#client.send({ method: 'POST', key: this.#key, query: { uploads: '' }, headers });
      this.#uploadId = unescapeXml(xmlText(Buffer.from(body).toString(), 'UploadId'));
      if (this.#uploadId === undefined) throw new UserError('S3 did not begin an upload', 'run it again later');
    }
    const query = { partNumber: String(this.#tags.length + 1), uploadId: this.#uploadId };
    const { headers } = await this.#client.send({ method: 'PUT', key: this.#key, query, body: this.#takeWaiting() });
    this.#tags.push(headers.get('etag') ?? '');
  }

  #takeWaiting(): Uint8Array {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  /** Sends what makes the file appear. The answer to an earlier attempt may be lost: then the file is there, with our mark. */
  async #isOurs(request: FinishRequest): Promise<boolean> {
    const condition = { 'if-none-match': '*' };
    const headers = { ...request.headers, ...condition };
    const expected = [404, 409, 412, 501];
    let answer = await this.#client.send({ ...request, headers, key: this.#key, expected });
    if (answer.status === 501) {
      // A server without conditions, such as Swift 2.30: the lock of the store keeps other exports away.
      const mark = await this.#markOfFile();
      if (mark !== undefined) return mark === this.#mark;
      answer = await this.#client.send({ ...request, key: this.#key });
    }
    // S3 may answer 200 to a completion before it fails.
    if (answer.status < 300 && !Buffer.from(answer.body).toString().includes('<Error>')) return true;
    const mark = await this.#markOfFile();
    if (mark === undefined) throw new UserError(`S3 did not take ${this.#key}`, 'run it again');
    return mark === this.#mark;
  }

  /** Of the file that has our name; `undefined` if there is none. */
  async #markOfFile(): Promise<string | undefined> {
    const { headers, status } = await this.#client.send({ method: 'HEAD', key: this.#key, expected: [404] });
    return status === 404 ? undefined : (headers.get(markHeader) ?? '');
  }
}

interface FinishRequest {
  readonly method: 'PUT' | 'POST';
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const markHeader = 'x-amz-meta-clew-upload';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string | undefined): string | undefined {
  return text?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');
}
