// Records what the tools of a client do for the calls of test/agent/tools/parity, into recorded.json there.
//   npx tsc -p . && node build/test/interop/record-tools.js 2.1.325 && npx biome check --write test/agent/tools/parity
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { callGroups, type ParityCall, placed } from '../agent/tools/parity/calls.ts';
import { writeFixture } from '../agent/tools/parity/fixture.ts';
import { type CallResult, effectOf, type Observation, observe } from '../agent/tools/parity/observe.ts';
import { installClient, startSession } from './client.ts';
import type { Step } from './mock-reply.ts';

const version = process.argv[2];
if (version === undefined) {
  process.stderr.write('usage: record-tools.js VERSION [FILE]\n');
  process.exit(2);
}

const cli = await installClient(version);
const tools = [...new Set(Object.values(callGroups).flatMap((calls) => calls.map(({ tool }) => tool)))];
const recorded: Record<string, Record<string, Observation>> = {};
for (const [group, calls] of Object.entries(callGroups)) recorded[group] = await record(calls);
const file = process.argv[3] ?? 'test/agent/tools/parity/recorded.json';
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);
process.stdout.write(`${Object.values(callGroups).flat().length} calls recorded\n`);

async function record(calls: readonly ParityCall[]): Promise<Record<string, Observation>> {
  const folders: Record<string, string> = {};
  const effects: (JsonValue | undefined)[] = [];
  const extra = realpathSync(mkdtempSync(path.join(tmpdir(), 'clew-extra-')));
  const note = (index: number): void => {
    const call = calls[index];
    if (call !== undefined) effects[index] = effectOf(call, folders['<P>'] ?? '');
  };
  const steps: Step[] = calls.map((call, index) => () => {
    note(index - 1);
    return { blocks: [{ type: 'tool_use', name: call.tool, input: placed(call.input, folders) }] };
  });
  const end: Step = () => {
    note(calls.length - 1);
    return { blocks: [{ type: 'text', text: 'done' }] };
  };
  const run = await startSession({
    cli,
    prompt: '[[calls]]',
    args: ['--permission-mode', 'bypassPermissions', '--tools', tools.join(','), '--add-dir', extra],
    env: { ENABLE_TOOL_SEARCH: 'false' },
    timeoutMs: 180_000,
    scripts: () => ({ calls: [...steps, end] }),
    prepare: (home) => {
      Object.assign(folders, { '<P>': path.join(path.dirname(home), 'project'), '<H>': home, '<E>': extra });
      mkdirSync(home, { recursive: true });
      writeFileSync(path.join(home, 'in-home.txt'), 'home\n');
      writeFixture(folders['<P>'] ?? '');
    },
  });
  rmSync(extra, { recursive: true });
  const results = readResults(run.files);
  if (results.length !== calls.length) throw new Error(`${results.length} results for ${calls.length} calls`);
  const pairs = calls.map((call, i) => {
    const result = results[i] ?? { isError: true, content: '', stored: '' };
    return [`${call.tool} ${call.id}`, observe(call, result, effects[i], folders)] as const;
  });
  return Object.fromEntries(pairs);
}

/** The results in the order of the calls, from the transcript. */
function readResults(files: Readonly<Record<string, Buffer>>): readonly CallResult[] {
  const transcript =
    Object.entries(files)
      .find(([name]) => /^[^/]+\.jsonl$/.test(name))?.[1]
      .toString() ?? '';
  const lines = transcript.trim().split('\n');
  return lines.flatMap((line) => {
    const entry = JSON.parse(line) as JsonObject;
    const message = isObject(entry.message) ? entry.message : {};
    const blocks = isArray(message.content) ? message.content.filter(isObject) : [];
    return blocks
      .filter((block) => block.type === 'tool_result')
      .map((block) => ({
        isError: block.is_error === true,
        content: block.content,
        stored: entry.toolUseResult,
      }));
  });
}
