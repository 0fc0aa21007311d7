// Instances of the gateway as processes, senders of traces, and a server that counts every request that reached it whole,
// also if its answer gets lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer as readAll } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { connect } from '../../src/team/database/index.ts';
import { addKey } from '../../src/team/gateway/index.ts';
import type { GatewayTask } from '../team/gateway/gateway-process.ts';
import { officialType } from '../trace/otlp-receiver.ts';
import { afterTest, type Endable } from './after-test.ts';
import { startTeamStore, type TeamStore } from './team-store.ts';
import { type ReceivedSpan, spansIn } from './trace-receiver.ts';

export interface GatewayStore extends TeamStore {
  /** By person. */
  readonly keys: Readonly<Record<string, string>>;
}

/** People with a key and without a role, in a group of their own and in `all`; the role of the gateways is `gate`. */
export async function startGatewayStore(context: Endable, people: readonly string[]): Promise<GatewayStore> {
  const store = await startTeamStore(context, { gate: 'gateway' });
  const insert = people.map(
    (name) => `INSERT INTO clew.people (tenant, name) SELECT tenant, '${name}' FROM clew.tenants;
    INSERT INTO clew.groups SELECT tenant, 'of ${name}' FROM clew.tenants;`,
  );
  store.server.run(`INSERT INTO clew.groups SELECT tenant, 'all' FROM clew.tenants; ${insert.join('\n')}
    INSERT INTO clew.members (tenant, group_name, person) SELECT tenant, g, person FROM clew.people,
      LATERAL (VALUES ('all'), ('of ' || name)) v (g) WHERE name <> 'gate';`);
  const sql = await connect(store.server.address());
  const keys: Record<string, string> = {};
  for (const name of people) keys[name] = await addKey(sql, name);
  await sql.end();
  return { ...store, keys };
}

export interface RunningGateway {
  readonly url: string;
  readonly process: ChildProcess;
  readonly stderr: () => string;
  /** SIGTERM: CPU in microseconds and the most memory in kilobytes. */
  stop(): Promise<{ readonly cpuMicros: number; readonly mostKb: number }>;
}

export async function startGatewayProcess(context: Endable, task: GatewayTask): Promise<RunningGateway> {
  const program = fileURLToPath(new URL('../team/gateway/gateway-process.js', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'pipe'] });
  afterTest(context, () => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  while (!stdout.includes('\n')) {
    if (child.exitCode !== null) throw new Error(`the gateway ended: ${stderr}`);
    await delay(10);
  }
  return {
    url: `http://127.0.0.1:${Number(stdout)}`,
    process: child,
    stderr: () => stderr,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
      const [, cpu, memory] = /stopped (\d+) (\d+)/.exec(stdout) ?? [];
      if (cpu === undefined) throw new Error(`the gateway did not stop: ${stderr}`);
      return { cpuMicros: Number(cpu), mostKb: Number(memory) };
    },
  };
}

export interface CountingReceiver {
  readonly url: string;
  /** Of requests that were accepted, whoever got the answer. */
  readonly spans: ReceivedSpan[];
  readonly bodies: Buffer[];
  readonly headers: (readonly string[])[];
  readonly statuses: number[];
  /** Requests that arrived whole and wait for their answer. */
  unanswered(): number;
}

export type ReceiverAnswer = {
  readonly status: number;
  readonly delayMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** `answer` is asked for every request that arrived whole. */
export async function startCountingReceiver(
  context: Endable,
  answer: (nth: number) => ReceiverAnswer = () => ({ status: 200 }),
): Promise<CountingReceiver> {
  const receiver = {
    spans: [] as ReceivedSpan[],
    bodies: [] as Buffer[],
    headers: [] as string[][],
    statuses: [] as number[],
  };
  let count = 0;
  let answered = 0;
  const respond = async (raw: Buffer, headers: readonly string[], response: ServerResponse): Promise<void> => {
    const { status, delayMs = 0, headers: own = {}, body = '{}' } = answer(count++);
    receiver.statuses.push(status);
    if (status < 300) {
      receiver.bodies.push(raw);
      receiver.headers.push([...headers]);
      receiver.spans.push(...spansOfRequest(raw));
    }
    if (delayMs > 0) await delay(delayMs, undefined, { ref: false });
    answered++;
    response.writeHead(status, { 'content-type': 'application/json', ...own }).end(body);
  };
  const server = createServer((request, response) => {
    readAll(request).then(
      (raw) => respond(raw, request.rawHeaders, response),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterTest(context, () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    ...receiver,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unanswered: () => count - answered,
  };
}

const official = officialType('ExportTraceServiceRequest');

/** In both encodings; protobuf by the official definitions. */
export function spansOfRequest(raw: Buffer): readonly ReceivedSpan[] {
  const body = raw[0] === 0x1f ? gunzipSync(raw) : raw;
  if (body[0] === 0x7b) return spansIn(body);
  const value = official.toObject(official.decode(body), { longs: String, bytes: String, enums: Number });
  const json = JSON.stringify(value, (key, each: unknown) =>
    /^(?:trace|span|parentSpan)Id$/.test(key) ? Buffer.from(String(each), 'base64').toString('hex') : each,
  );
  return spansIn(Buffer.from(json));
}

export interface SentSpan {
  readonly spanId: string;
  readonly person: string;
}

/** A request in OTLP JSON with spans of these ids. */
export function traceJson(spanIds: readonly string[], attributes: readonly object[] = []): string {
  const spans = spanIds.map((spanId) => ({
    traceId: spanId.padStart(32, 'a'),
    spanId,
    name: 'Turn 1',
    kind: 1,
    startTimeUnixNano: '1772600767008000000',
    endTimeUnixNano: '1772600768008000000',
    attributes: [{ key: 'session.id', value: { stringValue: 's' } }, ...attributes],
  }));
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'clew' }, spans }] }] });
}

/** Sends until an instance accepts it, as a sender with an outbox does: the next instance, a pause, the same bytes. */
export async function sendUntilAccepted(urls: () => readonly string[], key: string, body: string): Promise<number> {
  for (let tries = 0; ; tries++) {
    if (tries === 300) throw new Error('no instance accepts the request');
    const all = urls();
    try {
      const response = await fetch(`${all[tries % all.length]}/v1/traces`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      });
      const text = await response.text();
      if (response.status === 200) return tries;
      if (![429, 502, 503, 504].includes(response.status)) throw new Refused(`${response.status} ${text}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await delay(50);
  }
}

class Refused extends Error {}

export interface Crowd {
  readonly senders: number;
  readonly requests: number;
  readonly spansOfRequest: number;
}

/** Senders that work at once; each waits for the answer before its next request. Returns what each span's person is. */
export async function sendAsCrowd(
  { senders, requests, spansOfRequest: spansEach }: Crowd,
  { keys }: Pick<GatewayStore, 'keys'>,
  urls: () => readonly string[],
  onAccepted: (accepted: number) => void = () => {},
): Promise<ReadonlyMap<string, string>> {
  const people = Object.entries(keys);
  const sent = new Map<string, string>();
  let accepted = 0;
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      const [person = '', key = ''] = people[sender % people.length] ?? [];
      for (let request = 0; request < requests; request++) {
        const ids = Array.from({ length: spansEach }, (__, span) =>
          (((sender + 1) * requests + request) * spansEach + span).toString(16).padStart(16, '0'),
        );
        for (const id of ids) sent.set(id, person);
        // Balanced by the number of the sender.
        const rotated = (): readonly string[] => {
          const all = urls();
          return [...all.slice(sender % all.length), ...all.slice(0, sender % all.length)];
        };
        await sendUntilAccepted(rotated, key, traceJson(ids));
        onAccepted(++accepted);
      }
    }),
  );
  return sent;
}

/** Until nothing waits in the store; a time limit only ends a test that would never end. */
export async function untilForwarded({ server }: Pick<GatewayStore, 'server'>): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (server.run("SELECT count(*) FROM clew.gateway_batches WHERE stage <> 'parked'") === '0\n') return;
    await delay(100);
  }
  throw new Error(`batches wait: ${server.run('SELECT stage, reason, owner, retry_at FROM clew.gateway_batches')}`);
}
