// Every command under strace, on sound sessions and on hostile ones: what it reads, writes, deletes and sends is what
// its row in docs/safety.md allows, and the files around stay as they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import type { ReplyBlock } from '../../src/api/server/script.ts';
import type { Run } from '../support/clew.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { type HostilePlace, makeHostilePlace, sessionNames } from '../support/hostile-place.ts';
import { ordinaryUser } from '../support/ordinary-user.ts';
import { readSafetyTable, rowFor } from '../support/safety-table.ts';
import { argsOf, type CallOptions, fillIn, prepareCall, watchCall } from '../support/safety-watch.ts';
import { skipWithout } from '../support/terminal.ts';
import { startReceiver } from '../support/trace-receiver.ts';
import { changingCalls, everyCall } from './calls.ts';

const skip = skipWithout('strace');
const columns = ['writes', 'deletes', 'sends'] as const;
/** In CI a hostile session meets one call in so many, the next session the next ones; with CLEW_LONG=1 all of them. */
const callShares = 3;

test(
  'every command does what its row says, and the rows say no more',
  { skip, timeout: 1_800_000 },
  async (context) => {
    const receiver = await startReceiver(context);
    const used = new Map(readSafetyTable().map((row) => [row.words.join(' '), new Set<string>()]));
    const faults: string[] = [];
    await Promise.all(
      halves(everyCall).map(async (calls) => {
        for (const { line, input = '', isEndless = false, isInTerminal = false, isPartly = false, status } of calls) {
          const place = makeHostilePlace(context, { uid: ordinaryUser.uid, hasSoundHistory: true });
          const model = await startModel(place);
          const before = line.split(' && ');
          const watched = before.pop() ?? '';
          for (const each of before) prepareCall(place, argsOf(place, each));
          const args = argsOf(place, watched);
          const options: CallOptions = {
            env: { ANTHROPIC_BASE_URL: model.url, CLEW_TRACE_ENDPOINT: receiver.url },
            servers: {
              [addressOf(model.url)]: 'model API',
              [addressOf(receiver.url)]: 'trace destinations',
              '127.0.0.1:9': 'team store',
            },
            input: fillIn(place, input),
            isEndless,
            isInTerminal,
            seconds: isEndless ? 12 : 60,
          };
          const { run, done, faults: own } = await watchCall(place, args, options);
          await model.close();
          faults.push(...own);
          if (
            !isEndless &&
            run.status !== status &&
            !hasEnded(run, /^(?:archive|doctor|redact --check|export --all)/.test(watched))
          )
            faults.push(`clew ${watched}: exit ${run.status}: ${run.stderr.trim()}`);
          const found = used.get(rowFor(args).words.join(' '));
          for (const column of columns)
            for (const word of isPartly ? rowFor(args)[column] : done[column]) found?.add(`${column} ${word}`);
        }
      }),
    );
    const unused = readSafetyTable().flatMap((row) => {
      const found = used.get(row.words.join(' '));
      return columns.flatMap((column) =>
        row[column]
          .filter((word) => word !== 'tools' && found?.has(`${column} ${word}`) !== true)
          .map((word) => `clew ${row.words.join(' ')} never ${column} ${word}`),
      );
    });
    assert.deepEqual([...faults, ...unused], []);
  },
);

const hostileNames = sessionNames.filter((each) => each !== 'sound' && each !== 'twin');
for (const [i, name] of hostileNames.entries()) {
  test(
    `what changes sessions harms nothing by a SESSION that is: ${name}`,
    { skip, timeout: 900_000 },
    async (context) => {
      const faults = await Promise.all(
        halves(shareOf(changingCalls, i % callShares, callShares)).map(async (calls) => {
          const place = makeHostilePlace(context, { uid: ordinaryUser.uid });
          const own: string[] = [];
          for (const line of calls)
            own.push(...(await watchCall(place, argsOf(place, line.replace('SESSION', `{${name}}`)))).faults);
          return own;
        }),
      );
      assert.deepEqual(faults.flat(), []);
    },
  );
}

/** One that looked at the whole library says that a part of it cannot be read, and ends with 1. */
function hasEnded({ status, stderr }: Run, mayFail: boolean): boolean {
  const isAboutClosed = stderr
    .trim()
    .split('\n')
    .every((line) => /^clew: cannot read .*\/projects\/-closed/.test(line));
  return status === 0 || mayFail || (status === 1 && isAboutClosed);
}

function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)];
}

/** A model that reads a file and writes it with its tools, then says that it has. */
async function startModel({ work }: HostilePlace): Promise<{ readonly url: string; close(): Promise<void> }> {
  const file_path = `${work}/source.ts`;
  const calls: readonly ReplyBlock[] = [
    { type: 'tool_use', name: 'Read', input: { file_path } },
    { type: 'tool_use', name: 'Write', input: { file_path, content: 'export const two = 2;\n' } },
  ];
  return startScriptedServer({
    apiKey: ['test', 'key'].join('-'),
    script: ({ body }) => {
      const text = JSON.stringify(body);
      const next = text.includes('Write.the.file') ? calls[text.split('"tool_result"').length - 1] : undefined;
      return { blocks: [next ?? { type: 'text', text: '<summary>It is done.</summary>' }] };
    },
  });
}

function addressOf(url: string): string {
  return new URL(url).host;
}
