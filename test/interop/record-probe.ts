// Records what a client sends for the sessions of `clew doctor --client`, into recordings/probe/VERSION.json.
//   npx tsc -p . && node build/test/interop/record-probe.js 2.1.325
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { probeSessionId } from '../../src/doctor/client-probe/probe-lines.ts';
import { probeSessions } from '../../src/doctor/client-probe/probe-sessions.ts';
import { installClient, resume } from './client.ts';
import { recordings } from './recordings.ts';

const version = process.argv[2];
if (version === undefined) {
  process.stderr.write('usage: record-probe.js VERSION\n');
  process.exit(2);
}

const cli = await installClient(version);
const lines: string[] = [];
for (const { name, transcript } of probeSessions()) {
  const files = { [`${probeSessionId}.jsonl`]: transcript };
  const { sent, stderr } = await resume({ cli, files, sessionId: probeSessionId, prompt: 'next' });
  if (sent === null) throw new Error(`${version} does not resume ${name}: ${stderr}`);
  lines.push(` ${JSON.stringify(name)}: ${JSON.stringify(sent)}`);
}
const folder = path.join(recordings, 'probe');
await mkdir(folder, { recursive: true });
await writeFile(path.join(folder, `${version}.json`), `{\n${lines.join(',\n')}\n}\n`);
process.stdout.write(`${lines.length} sessions recorded\n`);
