// `clew mcp`: its start until `initialize` and `tools/list` are answered, compared with bare Node; what its four tools cost in
// every session; and the CPU time of its answers in a warm process, on a library of 1 GB if there is one.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { textTokens } from '../src/api/request/text-tokens.ts';
import { Memory } from '../src/memory/answers/memory.ts';
import { toolDefinitions } from '../src/memory/server/tools.ts';
import { tokensOf } from '../src/memory/text/answer.ts';
import { clew } from '../test/support/dist.ts';
import { corpusFolder } from './support/corpus.ts';
import { measureAll, median, printRatios } from './support/measure.ts';

const folder = path.join(tmpdir(), 'clew-bench', 'mcp');
mkdirSync(folder, { recursive: true });
const input = path.join(folder, 'start.jsonl');
const messages = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];
writeFileSync(input, messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
const node = process.execPath;
const env = { CLEW_HOME: path.join(folder, 'state') };
const started = measureAll(
  [
    { name: 'node -e 0', command: [node, '-e', '0'] },
    { name: 'clew mcp, tools/list', command: [node, clew, 'mcp'], input, env },
  ],
  15,
);
printRatios('start', started, 'node -e 0');
const [base, server] = started.map(({ cpuMs }) => cpuMs);
console.log(`  clew mcp: +${((server ?? Number.NaN) - (base ?? 0)).toFixed(0)} ms CPU (bar: 150)`);
const sent = JSON.stringify(toolDefinitions().map(({ annotations, ...tool }) => tool));
console.log(`\nthe four tools: about ${Math.round(textTokens(sent))} tokens in every session (bar: 600),`);
console.log(`${tokensOf(sent)} for models with the finer tokenizer`);

const large = path.join(tmpdir(), 'clew-bench', 'library-1000');
const root = existsSync(large)
  ? large
  : corpusFolder('mcp', { sessions: 300, linesPerSession: 160, bytesPerLine: 4000 });
const state = path.join(folder, `state-${path.basename(root)}`);
const memory = new Memory({ roots: [root], state, env: {}, ancestors: [], isAllProjects: true, folders: [] });
const queries = [
  'npm audit timeout',
  'how to retry a fetch',
  'workspace flag',
  'python version error',
  'min release age',
];
const rounds = 9;
await memory.search({ query: 'first', limit: 1 }); // reads what is new
const times: number[] = [];
const tokens: number[] = [];
for (let round = 0; round < rounds; round++) {
  for (const query of queries) {
    const before = process.cpuUsage();
    const answer = await memory.search({ query: `${query} ${round}`, limit: 8 });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    tokens.push(tokensOf(answer));
  }
}
console.log(
  `\n${path.basename(root)}: a search takes ${median(times).toFixed(0)} ms CPU warm (bar: 50 on a quiet machine)`,
);
console.log(`an answer with 8 hits has ${median(tokens)} tokens`);
memory.close();
