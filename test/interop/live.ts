// One session, one client: what the client really sends, and whether that is what we predict.
import assert from 'node:assert/strict';
import path from 'node:path';
import type { ClientHost } from '../../src/session/resume/messages/for-request.ts';
import type { NormalMessage } from '../../src/session/resume/messages/normalise.ts';
import { installClient, resume, sessionFiles } from './client.ts';
import { describeDifference } from './difference.ts';
import { predict } from './predict.ts';
import type { Expected } from './recordings.ts';

const installed = new Map<string, Promise<string>>();

/** The binary of a client, installed once. */
export function clientOf(version: string): Promise<string> {
  const known = installed.get(version) ?? installClient(version);
  installed.set(version, known);
  return known;
}

/** What the client sends when it resumes a transcript with the prompt `next`, behind a gateway if not said otherwise. */
export async function resumeLive(version: string, file: string, host: ClientHost = 'gateway'): Promise<Expected> {
  const run = await resume({
    cli: await clientOf(version),
    files: await sessionFiles(file),
    sessionId: path.basename(file, '.jsonl'),
    prompt: 'next',
    host,
  });
  if (run.sent !== null) return { messages: run.sent };
  assert.equal(run.exitCode, 1, `${file}: neither resumed nor refused: ${run.stderr || run.stdout}`);
  return { refused: run.stderr };
}

export async function assertPredicted(version: string, file: string, host: ClientHost = 'gateway'): Promise<void> {
  const [live, predicted] = await Promise.all([resumeLive(version, file, host), predict(file, host)]);
  if ('refused' in live && 'refused' in predicted) return;
  if ('refused' in live) assert.fail(`${file}: ${version} refuses it (${live.refused}), we predict messages`);
  if ('refused' in predicted)
    assert.fail(`${file}: ${version} resumes it, we predict a refusal (${predicted.refused})`);
  const difference = describeDifference(live.messages, predicted.messages);
  if (difference !== undefined) assert.fail(`${file}, ${version}: ${difference}`);
}

/** Clients up to 2.1.45 put no newline between two user lines that become one message, and call Agent still Task. */
export async function assertPredictedByOld(version: string, file: string): Promise<void> {
  const [live, predicted] = await Promise.all([resumeLive(version, file), predict(file)]);
  assert.ok('messages' in live && 'messages' in predicted, JSON.stringify(live).slice(0, 300));
  const difference = describeDifference(asOld(live.messages), asOld(predicted.messages));
  assert.equal(difference, undefined, `${file}, ${version}`);
}

/** Without the newline between user lines, and with the old name of Agent. */
export function asOld(messages: readonly NormalMessage[]): readonly NormalMessage[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => {
      if (block.type === 'tool_use' && block.name === 'Agent') return { ...block, name: 'Task' };
      return block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block;
    }),
  }));
}
