// Stripped and compressed sessions in the real client: it sends exactly what `clew messages` prints. Sessions are
// real ones of the corpus next to this checkout, else those in the recordings.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Plan, type Source } from '../../src/surgery/engine/plan.ts';
import { planCompress } from '../../src/surgery/operations/compress.ts';
import { findCompressCut, offlineSummary } from '../../src/surgery/operations/compress-summary.ts';
import { planStrip } from '../../src/surgery/strip/strip.ts';
import type { StripOptions } from '../../src/surgery/strip/strip-options.ts';
import { benchOf, realSessions } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { resume, sessionFiles } from './client.ts';
import { assertPredicted, clientOf, resumeLive } from './live.ts';
import { predict } from './predict.ts';

const versions = { old: '2.1.45', current: '2.1.325' } as const;
/** A scenario of the corpus by a part of its path. */
function sessionOf(part: string): string {
  const all = realSessions();
  const found = all.find((file) => file.includes(part)) ?? all.find((file) => file.includes('tools'));
  assert.ok(found !== undefined, part);
  return found;
}

const stripped: readonly { readonly from: string; readonly options: StripOptions; readonly isPortable?: boolean }[] = [
  { from: '2.1.325/tools/', options: { tools: [] } },
  { from: '2.1.150/tools/', options: { tools: ['Read'] } },
  { from: '2.1.29/tui-mixed/', options: { tools: [], keepLast: 1 } },
  { from: '2.1.325/thinking/', options: { thinking: true, bookkeeping: true } },
  { from: '2.0.50/tools/', options: { images: true, truncateResults: 20, truncateInputs: 10 } },
  { from: '2.1.45/tools/', options: { tools: ['Bash'], progress: true } },
  { from: '2.1.325/tools/', options: { tools: ['Bash'] }, isPortable: true },
  { from: '2.1.45/tools/', options: { thinking: true, truncateResults: 30 }, isPortable: true },
];

for (const { from, options, isPortable = false } of stripped) {
  const client = isPortable ? versions.old : versions.current;
  test(`client ${client} resumes ${from} after strip ${JSON.stringify(options)}`, async (context) => {
    await assertResumed(context, sessionOf(from), client, (source) => planStrip(source, options), isPortable);
  });
}

const compressed: readonly {
  readonly from: string;
  readonly isPortable?: boolean;
  readonly dropOld?: boolean;
  readonly isOld?: boolean;
}[] = [
  { from: '2.1.325/compact/' },
  { from: '2.0.50/tui-mixed/' },
  { from: '2.1.29/tui-mixed/', dropOld: true },
  { from: '2.1.325/continue/' },
  { from: '2.0.50/tui-mixed/', isPortable: true },
  { from: '2.1.45/continue/', isPortable: true },
];

for (const { from, isPortable = false, dropOld = false } of compressed) {
  const client = isPortable ? versions.old : versions.current;
  test(`client ${client} resumes ${from} after compress${dropOld ? ' --drop-old' : ''}`, async (context) => {
    const plan = (source: Source): Plan => {
      const cut = findCompressCut(source.session, 1);
      return planCompress(source, offlineSummary(source.session, cut), { keepTurns: 1, dropOld }, cut);
    };
    await assertResumed(context, sessionOf(from), client, plan, isPortable);
  });
}

test(`client ${versions.old} begins with the summary too, portable or not`, async (context) => {
  const bench = benchOf(context, sessionOf('2.1.45/continue/'));
  const source = await loadSource(bench.main);
  const cut = findCompressCut(source.session, 1);
  const plan = planCompress(source, offlineSummary(source.session, cut), { keepTurns: 1 }, cut);
  const { to } = await operate(plan, [source], { env: bench.env });
  const [live, predicted] = [await resumeLive(versions.old, to.path), await predict(to.path)];
  assert.ok('messages' in live && 'messages' in predicted);
  // It joins two lines of the user without the newline that the current client puts between.
  const texts = (messages: typeof live.messages): string[] =>
    messages.flatMap(({ content }) => content.map(({ text }) => String(text).trimEnd()));
  assert.deepEqual(texts(live.messages), texts(predicted.messages));
});

test(`client ${versions.old} summarises a full session, but not once it is stripped`, async (context) => {
  const full = { input_tokens: 10, cache_read_input_tokens: 195_000, output_tokens: 50 };
  const text = transcript()
    .user('one')
    .call('toolu_1')
    .result('toolu_1')
    .assistant('done', { message: { usage: full } })
    .text();
  const folder = path.join(temporaryFolder(context), 'projects/-w-p');
  mkdirSync(folder, { recursive: true });
  const main = path.join(folder, `${sessionId}.jsonl`);
  writeFileSync(main, text);
  const source = await loadSource(main);
  const env = { ...process.env, CLEW_HOME: path.join(folder, '../../state') };
  const { to } = await operate(planStrip(source, { tools: [] }), [source], { env });
  const kinds = async (file: string): Promise<string[]> => {
    const run = await resume({
      cli: await clientOf(versions.old),
      files: await sessionFiles(file),
      sessionId: idOf(file),
      prompt: 'next',
    });
    return run.requests.filter((request) => request.path === '/v1/messages').map(({ kind }) => kind);
  };
  assert.deepEqual([await kinds(main), await kinds(to.path)], [['compact', 'default'], ['default']]);
});

async function assertResumed(
  context: TestContext,
  file: string,
  version: string,
  planFor: (source: Source) => Plan,
  isPortable: boolean,
): Promise<void> {
  const bench = benchOf(context, file);
  const source = await loadSource(bench.main);
  const { to } = await operate(planFor(source), [source], { env: bench.env, isPortable });
  await assertPredicted(version, to.path);
}

function idOf(file: string): string {
  return path.basename(file, '.jsonl');
}
