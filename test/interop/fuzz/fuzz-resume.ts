// Random sessions against the real client: generates them from a seed, lets the client resume each, compares what it
// sends with what we predict, and shrinks every session on which the two differ to the few lines that matter.
//   npm run fuzz:resume -- [--seed N] [--count N] [--hostile] [--host anthropic|gateway|both] [--client VERSION]
//                          [--keep FOLDER] [--no-shrink]
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadSession } from '../../../src/session/load/session.ts';
import type { ClientHost } from '../../../src/session/resume/messages/for-request.ts';
import { normalise } from '../../../src/session/resume/messages/normalise.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { installClient, resume } from '../client.ts';
import { describeDifference } from '../difference.ts';
import type { Expected } from '../recordings.ts';
import { hostileSession } from './hostile.ts';
import { plausibleSession } from './plausible.ts';
import { fuzzSessionId } from './session-writer.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    count: { type: 'string', default: '100' },
    hostile: { type: 'boolean', default: false },
    host: { type: 'string', default: 'both' },
    client: { type: 'string', default: '2.1.325' },
    keep: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const count = Number(values.count);
const hosts: readonly ClientHost[] =
  values.host === 'anthropic' || values.host === 'gateway' ? [values.host] : ['gateway', 'anthropic'];
const cli = await installClient(values.client);
const folder = await mkdtemp(path.join(tmpdir(), 'clew-fuzz-'));
const equal = new Map(hosts.map((host) => [host, 0]));
process.stdout.write(`client ${values.client}, seeds ${first} to ${first + count - 1}\n`);

let next = first;
let files = 0;
/** Two at once: a client takes a core. */
await Promise.all([work(), work()]);
await rm(folder, { recursive: true });
const totals = hosts.map((host) => `${equal.get(host)} of ${count} equal (${host})`);
process.stdout.write(`${totals.join(', ')}\n`);
process.exitCode = hosts.every((host) => equal.get(host) === count) ? 0 : 1;

async function work(): Promise<void> {
  while (next < first + count) await check(next++);
}

async function check(seed: number): Promise<void> {
  const lines = values.hostile ? hostileSession(seed) : plausibleSession(seed).map((line) => JSON.stringify(line));
  for (const host of hosts) {
    const difference = await differenceOf(lines, host);
    if (difference === undefined) {
      equal.set(host, (equal.get(host) ?? 0) + 1);
      continue;
    }
    const kind = kindOf(difference);
    const isSame = async (fewer: readonly string[]): Promise<boolean> => {
      const left = await differenceOf(fewer, host);
      return left !== undefined && kindOf(left) === kind;
    };
    const small = values['no-shrink'] ? lines : await shrink(lines, isSame);
    const shown = (await differenceOf(small, host)) ?? difference;
    process.stdout.write(`seed ${seed}, ${host}, ${small.length} lines: ${shown}\n`);
    if (values.keep !== undefined)
      await writeFile(path.join(values.keep, `${seed}-${host}.jsonl`), `${small.join('\n')}\n`);
  }
}

async function differenceOf(lines: readonly string[], host: ClientHost): Promise<string | undefined> {
  const text = `${lines.join('\n')}\n`;
  const file = path.join(folder, String(files++), `${fuzzSessionId}.jsonl`);
  const [client, ours] = await Promise.all([live(text, host), predicted(text, file, host)]);
  if ('refused' in client) return 'refused' in ours ? undefined : 'the client refuses, we predict messages';
  if ('refused' in ours) return `we predict a refusal (${ours.refused}), the client sends messages`;
  return describeDifference(client.messages, ours.messages);
}

async function live(text: string, host: ClientHost): Promise<Expected> {
  const file = `${fuzzSessionId}.jsonl`;
  const run = await resume({ cli, host, files: { [file]: text }, sessionId: fuzzSessionId, prompt: 'next' });
  if (run.sent !== null) return { messages: run.sent };
  return { refused: `${run.exitCode} ${run.stderr}` };
}

async function predicted(text: string, file: string, host: ClientHost): Promise<Expected> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  const request = requestMessages(await loadSession(file), 'next', { host, client: values.client });
  await rm(path.dirname(file), { recursive: true });
  return 'refused' in request ? request : { messages: normalise(request.messages) };
}

/** Two differences of one kind have the same numbers left out. */
function kindOf(difference: string): string {
  return difference
    .split('\n')
    .map((line) => line.replaceAll(/\d+/g, '#').slice(0, 160))
    .join('\n');
}
