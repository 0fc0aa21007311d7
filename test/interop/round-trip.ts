// One session that goes from program to program: each resumes it, adds a turn and hands it on. At every hand-over, what
// the next program sends is compared with what we predict from the file, and with what the program before it had.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { type NormalMessage, normalise, type SentMessage } from '../../src/session/resume/messages/normalise.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { describeDifference } from './difference.ts';
import { asOld } from './live.ts';
import { chooseReply, type Scripts } from './mock-reply.ts';
import { openSharedHome, type Program, type SharedHome, type Turn, type TurnRun } from './shared-home.ts';

export interface Scenario {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly scripts: (folder: string) => Scripts;
  /** `step`: the word that marks the input of this step. */
  readonly turn: (step: string, home: SharedHome, program: Program) => Turn;
  /** Must be in the session after each step, so that the scenario is what it says. */
  readonly holds: RegExp;
  /** The program is ended in the middle: what it had is only the beginning of what the next one sends. */
  readonly isBroken?: true;
}

export interface HandOver {
  readonly from: Program;
  /** `file`: no program resumes the session; only the prediction is compared. */
  readonly to: Program | 'file';
  readonly step: number;
  /** What the next program sends, against the prediction. */
  readonly unpredicted: string | undefined;
  /** What it sends, against what the program before had. */
  readonly lost: string | undefined;
}

const old = '2.1.45';
export const model = 'claude-sonnet-4-5-20250929';

export async function runChain(
  t: TestContext,
  scenario: Scenario,
  order: readonly Program[],
): Promise<readonly HandOver[]> {
  const scripts = scenario.scripts;
  const home = await openSharedHome(t, { files: scenario.files ?? {}, scripts, model });
  const handOvers: HandOver[] = [];
  let before: { readonly run: TurnRun; readonly file: string } | undefined;
  for (const [i, program] of order.entries()) {
    const step = `step-${i + 1}`;
    const turn = scenario.turn(step, home, program);
    const resumed = before === undefined ? [] : ['--resume', path.basename(before.file, '.jsonl')];
    const predicted = before === undefined ? undefined : await predict(before.file, step, program);
    const run = await home.run(program, { ...turn, args: [...resumed, ...(turn.args ?? [])] });
    const files = home.transcripts();
    assert.equal(files.length, 1, `${program}: ${files.join()} ${run.stderr}`);
    const [file = ''] = files;
    const text = readFileSync(file, 'utf8');
    assert.match(text, scenario.holds, `${program} ${step}: ${run.stdout}${run.stderr}`);
    assert.ok(text.includes(step), `${program} did not continue the session: ${run.stdout}${run.stderr}`);
    if (before !== undefined && predicted !== undefined) {
      const sent = withoutStep(normalise(mainRequests(run)[0] ?? []), step);
      handOvers.push(compare(before.run, program, i, sent, predicted, scenario, home));
    }
    before = { run, file };
  }
  if (before !== undefined) {
    const predicted = await predict(before.file, `step-${order.length + 1}`, undefined);
    handOvers.push(compare(before.run, 'file', order.length, predicted, predicted, scenario, home));
  }
  return handOvers;
}

function compare(
  from: TurnRun,
  to: HandOver['to'],
  step: number,
  sent: readonly NormalMessage[],
  predicted: readonly NormalMessage[],
  scenario: Scenario,
  home: SharedHome,
): HandOver {
  const had = historyOf(from, scenario.scripts(home.cwd), scenario.isBroken === true);
  const kept = scenario.isBroken === true ? beginningOf(sent, had) : sent;
  const isOld = from.program === old || to === old;
  return {
    from: from.program,
    to,
    step,
    unpredicted:
      to === old
        ? describeDifference(withoutImages(sent), withoutImages(predicted))
        : describeDifference(sent, predicted),
    lost: isOld ? describeOld(kept, had) : describeDifference(kept, had),
  };
}

/** Client 2.1.45 also sends the text `[image]` for an image of a prompt. */
function describeOld(left: readonly NormalMessage[], right: readonly NormalMessage[]): string | undefined {
  return describeDifference(withoutImages(asOld(left)), withoutImages(asOld(right)));
}

function withoutImages(messages: readonly NormalMessage[]): readonly NormalMessage[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => (block.type === 'image' ? { type: 'text', text: '[image]' } : block)),
  }));
}

async function predict(file: string, prompt: string, program: Program | undefined): Promise<readonly NormalMessage[]> {
  const client = program === undefined || program === 'clew' ? {} : { client: program };
  const request = requestMessages(await loadSession(file), prompt, { host: 'gateway', ...client });
  assert.ok('messages' in request, `${file}: ${JSON.stringify(request)}`);
  return withoutStep(normalise(request.messages), prompt);
}

/** The requests of the conversation, without those of sub-agents, titles and summaries. */
function mainRequests(run: TurnRun): readonly (readonly SentMessage[])[] {
  return run.requests
    .filter(({ kind }) => !/^(?:compact|title|side|child-)/.test(kind))
    .map(({ body }) => body.messages as unknown as readonly SentMessage[]); // the API's own schema
}

/** The last request of a program and, if it was complete, the answer. */
function historyOf(run: TurnRun, scripts: Scripts, isBroken: boolean): readonly NormalMessage[] {
  const last = mainRequests(run).at(-1) ?? [];
  const messages = normalise(last);
  if (isBroken) return messages;
  const { reply } = chooseReply({ messages: [...last], tools: [{}] } as unknown as JsonObject, scripts);
  assert.ok('blocks' in reply, 'the last answer is complete');
  return [...messages, { role: 'assistant', content: [...reply.blocks] }];
}

/** The part of a request that is as long as another. */
function beginningOf(sent: readonly NormalMessage[], had: readonly NormalMessage[]): readonly NormalMessage[] {
  return sent.slice(0, had.length).map((message, i) => ({
    ...message,
    content: i === had.length - 1 ? message.content.slice(0, had[i]?.content.length) : message.content,
  }));
}

/** The messages before the input of a step. The text before an added text ends with a newline. */
function withoutStep(messages: readonly NormalMessage[], step: string): readonly NormalMessage[] {
  const index = messages.findLastIndex(({ role, content }) => role === 'user' && content.some((b) => names(b, step)));
  assert.ok(index !== -1, `${step} is not in the request`);
  const message = messages[index] as NormalMessage;
  const kept = message.content.slice(
    0,
    message.content.findIndex((block) => names(block, step)),
  );
  const last = kept.at(-1);
  const cut = last?.type === 'text' && typeof last.text === 'string' ? [{ ...last, text: last.text.trimEnd() }] : [];
  const content = cut.length === 0 ? kept : [...kept.slice(0, -1), ...cut];
  return [...messages.slice(0, index), ...(content.length === 0 ? [] : [{ ...message, content }])];
}

function names(block: JsonObject, step: string): boolean {
  return block.type === 'text' && typeof block.text === 'string' && block.text.includes(step);
}
