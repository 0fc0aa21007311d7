// Records what the client sends with its first request for each model and setting of thinking, effort, output length and
// caching, into recordings/requests.json. What the file has for this version is not recorded again.
//   npx tsc -p . && node build/test/interop/record-requests.js 2.1.325
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { modelTable } from '../../src/models/model-rows.ts';
import {
  basicSettings,
  type ClientHost,
  type RecordedRequest,
  type Recording,
  type RequestSetting,
  requestSettings,
  type SentFields,
} from '../agent/requests/request-settings.ts';
import { sentFields } from '../agent/requests/sent-fields.ts';
import { installClient, startSession } from './client.ts';
import { recordings } from './recordings.ts';

const version = process.argv[2];
if (version === undefined) {
  process.stderr.write('usage: record-requests.js VERSION\n');
  process.exit(2);
}

const cli = await installClient(version);
const target = path.join(recordings, 'requests.json');

async function record(
  host: ClientHost,
  model: string,
  { args = [], env = {}, settings }: RequestSetting,
): Promise<SentFields> {
  const { requests, stderr } = await startSession({
    cli,
    host,
    prompt: 'hello',
    args: ['--model', model, ...args],
    env,
    prepare: async (home) => {
      if (settings === undefined) return;
      await mkdir(path.join(home, '.claude'), { recursive: true });
      await writeFile(path.join(home, '.claude/settings.json'), JSON.stringify(settings));
    },
  });
  const main = requests.find(({ path: asked, body }) => asked === '/v1/messages' && body.tools !== undefined);
  if (main === undefined) throw new Error(`${version} sent nothing for ${model}: ${stderr}`);
  return sentFields(main.body, main.beta, model);
}

/** Retired and limited models are recorded with the basic settings only; two names are unknown to the client. */
const models: readonly (readonly [name: string, isBasic: boolean])[] = [
  ...modelTable.models.map(({ id, status, limited }) => [id, status === 'retired' || limited === true] as const),
  ['claude-sonnet-4-5-20250929[1m]', true],
  ['claude-opus-4-6[1m]', true],
  ['claude-opus-5-5[1m]', true],
  ['claude-nova-9', false],
  ['other-model', true],
];
const cells = (['anthropic', 'gateway'] as const).flatMap((host) =>
  models.flatMap(([model, isBasic]) => {
    const settings = host === 'gateway' || isBasic ? basicSettings : requestSettings;
    return Object.entries(settings).map(([name, setting]) => ({ host, model, name, setting }));
  }),
);

const rows = await readRows();
const done = new Set(rows.flatMap(({ host, model, settings }) => settings.map((name) => `${host} ${model} ${name}`)));
const missing = cells.filter(({ host, model, name }) => !done.has(`${host} ${model} ${name}`));
for (const [at, { host, model, name, setting }] of missing.entries()) {
  add({ host, model, sent: await record(host, model, setting), settings: [name] });
  if (at % 20 !== 0) continue;
  await writeRows();
  process.stderr.write(`${at} of ${missing.length}\n`);
}
await writeRows();
process.stdout.write(`${missing.length} of ${cells.length} requests recorded, in ${rows.length} rows\n`);

async function readRows(): Promise<RecordedRequest[]> {
  if (!existsSync(target)) return [];
  const recording = JSON.parse(await readFile(target, 'utf8')) as Recording; // written by this program
  return recording.client === version ? [...recording.requests] : [];
}

/** Settings with the same request are one row. */
function add(row: RecordedRequest): void {
  const keyOf = ({ host, model, sent }: RecordedRequest): string => JSON.stringify([host, model, sent]);
  const at = rows.findIndex((other) => keyOf(other) === keyOf(row));
  const same = rows[at];
  if (same === undefined) rows.push(row);
  else rows[at] = { ...same, settings: [...same.settings, ...row.settings] };
}

async function writeRows(): Promise<void> {
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`);
  await writeFile(target, `{ "client": ${JSON.stringify(version)}, "requests": [\n${lines.join(',\n')}\n] }\n`);
}
