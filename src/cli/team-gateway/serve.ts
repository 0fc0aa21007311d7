// clew team gateway --listen HOST:PORT --to STORE --forward URL…: runs an instance until it is stopped.
import { isIP } from 'node:net';
import { UserError } from '../../base/errors/index.ts';
import { stateFolder } from '../../store/index.ts';
import { usualRuleSet } from '../../surgery/secrets/index.ts';
import { refuseNewer } from '../../team/database/index.ts';
import { startForwarding, startGateway } from '../../team/gateway/index.ts';
import { type Destination, destinationsOf, readTraceConfig } from '../../trace/config/index.ts';
import { type CommandInput, type FlagValues, listFlag, textFlag } from '../command/index.ts';
import { createStop, writeOut } from '../terminal/index.ts';
import { graceMs, startForwardingProcess } from './forwarding-process.ts';
import { instanceLog } from './log.ts';
import { withStore } from './store.ts';

/** Of the pool: requests ask for keys while others store spans or rows. */
const connections = 12;

export async function runServer(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const { host, port } = listenAddress(flags);
  const destinations = forwardDestinations(input);
  const ruleSet = usualRuleSet(stateFolder(io.env));
  const log = instanceLog(io);
  await withStore(input, connections, async (sql, address) => {
    const [row] = await sql`SELECT clew.gateway_version() AS version`;
    refuseNewer(Number(row?.version));
    const gateway = await startGateway({
      ...{ sql, destinations, host, port, log, ruleSet },
      startForwarding: () =>
        destinations.length === 0
          ? startForwarding({ sql, destinations, log })
          : startForwardingProcess({ address, destinations }, log),
    });
    const { signal, listen, dispose } = createStop();
    listen();
    const shown = host.includes(':') ? `[${host}]` : host;
    const names = destinations.map(({ name, url }) => `  ${name}: ${url.replace(/\?.*$/, '?…')}\n`);
    const what = destinations.length === 0 ? 'takes pushes' : 'takes pushes, and traces for:';
    await writeOut([`listening at http://${shown}:${gateway.port}; ${what}\n`, ...names], io);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    log('stopping');
    await gateway.stop(graceMs);
    dispose();
  });
}

/** Others reach it only if `--host` says so too: the gateway speaks HTTP, and TLS is the balancer's. */
function listenAddress(flags: FlagValues): { readonly host: string; readonly port: number } {
  const text = textFlag(flags, 'listen') ?? '127.0.0.1:4318';
  const [, bracketed, plain, number = ''] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(number);
  if (number === '' || port > 65_535)
    throw new UserError(`--listen takes HOST:PORT, not "${text}"`, 'for example --listen 127.0.0.1:4318');
  const given = bracketed ?? plain;
  const host = given ?? textFlag(flags, 'host') ?? '127.0.0.1';
  if (!isLoopback(host) && textFlag(flags, 'host') !== host)
    throw new UserError(
      `${host} can be reached from other machines, and keys would arrive without encryption`,
      `put a balancer with TLS in front, and add --host ${host}`,
    );
  return { host, port };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `--forward`, else the destinations of trace.json and the environment. */
function forwardDestinations({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): readonly Destination[] {
  const urls = listFlag(flags, 'forward');
  const found =
    urls.length === 0
      ? readTraceConfig(io.env).destinations
      : urls.map((url) => destinationAt(url, io.env, urls.length));
  const partial = found.find(({ content }) => content !== 'full');
  if (partial !== undefined)
    throw new UserError(
      `the destination "${partial.name}" has the content mode ${partial.content}, which only senders can apply`,
      'set it where the spans are made, and remove it here',
    );
  return found;
}

/** Batches wait under the name, so it is the same for every instance and after every start. */
function destinationAt(url: string, env: NodeJS.ProcessEnv, count: number): Destination {
  const name = url
    .replace(/^https?:\/\//i, '')
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  const { CLEW_TRACE_HEADERS, ...others } = env;
  if (count > 1 && CLEW_TRACE_HEADERS)
    throw new UserError('CLEW_TRACE_HEADERS is for one --forward', 'list several destinations in trace.json');
  const [own] = CLEW_TRACE_HEADERS ? destinationsOf({ CLEW_TRACE_HEADERS, CLEW_TRACE_ENDPOINT: url }, {}) : [];
  const [made] = destinationsOf(
    { ...timeoutsIn(others), ...pick(others, ['CLEW_TRACE_FORMAT', 'CLEW_TRACE_PROJECT', 'CLEW_TRACE_PROFILE']) },
    { destinations: [{ name, endpoint: url }] },
  );
  if (made === undefined) throw new UserError(`${url} is not a destination`, 'write it like http://127.0.0.1:4318');
  return { ...made, headers: { ...made.headers, ...own?.headers } };
}

function timeoutsIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return pick(env, ['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT']);
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
