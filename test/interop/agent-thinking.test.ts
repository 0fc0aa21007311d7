// A session that Clew's agent and client 2.1.325 continue in turn, each on its way to an API that signs thinking and refuses
// it after a changed prefix: the client recovers once from our thinking, and afterwards neither breaks the other's.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ScriptedReply } from '../../src/api/server/script.ts';
import { judgeThinking, signReply } from '../../src/api/server/thinking-check.ts';
import { asObject, isArray, isObject, type JsonObject } from '../../src/base/json/json.ts';
import { type AgentKit, startAgent } from '../support/agent-kit.ts';
import { messagesOf } from '../support/agent-talk.ts';
import { installClient, type ResumeRun, resume } from './client.ts';
import type { ApiRequest } from './mock-api.ts';
import type { Answer, Failure } from './mock-reply.ts';

const version = '2.1.325';
const account = { kind: 'enforced', organization: 'org-1' } as const;

function thinks(name: string): ScriptedReply {
  return {
    blocks: [
      { type: 'thinking', thinking: name },
      { type: 'text', text: `said ${name}` },
    ],
  };
}

function sentThinking(body: JsonObject | undefined): string[] {
  return messagesOf(body).flatMap((message) => {
    const content = asObject(message)?.content;
    const blocks = isArray(content) ? content.filter(isObject) : [];
    return blocks.flatMap(({ type, thinking }) => (type === 'thinking' ? [String(thinking)] : []));
  });
}

/** The client continues the session, direct; `refused` are the requests that the API refused. */
async function clientTurn(
  cli: string,
  sessionId: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  name: string,
  args: readonly string[] = [],
): Promise<{ readonly run: ResumeRun; readonly refused: number; readonly sent: string[][] }> {
  let refused = 0;
  const sent: string[][] = [];
  const answer = ({ kind, beta, body }: ApiRequest): Answer | Failure | undefined => {
    if (kind === 'side' || kind === 'title') return undefined;
    sent.push(sentThinking(body));
    const verdict = judgeThinking(body, { 'anthropic-beta': beta }, account);
    if ('error' in verdict) {
      refused++;
      const { status, type, message } = verdict.error;
      return { status, errorType: type, message };
    }
    return { blocks: signReply(thinks(name), body, account).blocks as Answer['blocks'] };
  };
  const run = await resume({ cli, sessionId, files, prompt: `turn ${name}`, host: 'anthropic', answer, args });
  assert.equal(run.exitCode, 0, run.stderr + run.stdout);
  assert.match(run.stdout, new RegExp(`said ${name}`));
  return { run, refused, sent };
}

async function ourTurns(kit: AgentKit, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) {
    const { outcome, error } = await kit.agent.prompt(prompt);
    assert.deepEqual([outcome, error?.message], ['success', undefined]);
  }
  await kit.agent.close('exit');
}

test('the agent and the client take turns, and only one request is refused, which the client recovers from', async (t) => {
  const cli = await installClient(version);
  const first = await startAgent(t, [thinks('a'), thinks('b')]);
  await ourTurns(first, 'one', 'two');
  const { file, sessionId } = first.agent.state;
  const name = `${sessionId}.jsonl`;

  // The client cannot know our system prompt: it is refused once, leaves our thinking out and marks the session.
  const theirs = await clientTurn(cli, sessionId, { [name]: readFileSync(file) }, 'c1');
  assert.deepEqual([theirs.refused, theirs.sent], [1, [['a', 'b'], []]]);
  const keep = ({ run }: { readonly run: ResumeRun }): void => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, run.files[name] ?? '');
  };
  keep(theirs);

  const second = await startAgent(t, [thinks('d'), thinks('e')], {
    folder: first.folder,
    session: { kind: 'resume', session: sessionId },
  });
  await ourTurns(second, 'three', 'four');
  assert.deepEqual(second.bodies().map(sentThinking), [[], ['d']]);

  const again = await clientTurn(cli, sessionId, { [name]: readFileSync(file) }, 'c2');
  assert.deepEqual([again.refused, again.sent], [0, [['c1']]]);
  keep(again);
  const more = await clientTurn(cli, sessionId, { [name]: readFileSync(file) }, 'c3');
  assert.deepEqual([more.refused, more.sent], [0, [['c1', 'c2']]]);
  keep(more);

  const third = await startAgent(t, [thinks('f')], {
    folder: first.folder,
    session: { kind: 'resume', session: sessionId },
  });
  await ourTurns(third, 'five');
  assert.deepEqual(third.bodies().map(sentThinking), [['d', 'e']]);
  const [then, now] = [second.bodies().at(-1), third.bodies()[0]];
  assert.deepEqual([now?.system, now?.tools], [then?.system, then?.tools]);
});
