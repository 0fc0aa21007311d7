// Helpers for the tests of the replay server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import {
  type ReplayOptions,
  type ReplayServer,
  type Served,
  startReplayServer,
} from '../../../src/api/server/replay-server.ts';
import { asObject, isArray, type JsonValue, parseJson } from '../../../src/base/json/json.ts';
import type { Session } from '../../../src/session/load/session.ts';
import { contentOfEvents, post, requestOf, stream } from '../../support/messages-client.ts';
import { text } from '../../support/transcript-builder.ts';

export const apiKey = 'the-key-of-this-test';

export const withKey: { readonly 'x-api-key': string } = { 'x-api-key': apiKey };

export interface Step {
  readonly input: readonly JsonValue[];
  readonly blocks: JsonValue[];
}

export async function start(
  t: TestContext,
  session: Session,
  options: ReplayOptions = {},
): Promise<{ server: ReplayServer; served: Served[] }> {
  const served: Served[] = [];
  const server = await startReplayServer(session, { onServed: (each) => served.push(each), apiKey, ...options });
  t.after(() => server.close());
  return { server, served };
}

/** Streams one half of the answers; each answer goes into the next request. */
export async function play({ url }: ReplayServer, steps: readonly Step[], file: string): Promise<void> {
  const messages: JsonValue[] = [];
  for (const [i, { input, blocks }] of steps.entries()) {
    if (input.length > 0) messages.push({ role: 'user', content: input });
    const request = requestOf(messages);
    const played =
      i % 2 === 0
        ? contentOfEvents((await stream(url, request, undefined, withKey)).events)
        : ((await post(url, request, withKey)).body.content ?? null);
    assert.deepEqual(played, blocks, `${file}: message ${i + 1}`);
    messages.push({ role: 'assistant', content: played });
  }
}

/** Straight from the lines: the messages of the assistant, and the user input before each. */
export function stepsOf(file: string): Step[] {
  const steps = new Map<string, Step>();
  let input: JsonValue[] = [];
  const isAgent = /\/agent-[^/]*$/.test(file);
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const entry = asObject(parseJson(line));
    const message = asObject(entry?.message);
    if (entry === undefined || message === undefined || (entry.isSidechain === true && !isAgent)) continue;
    const content =
      typeof message.content === 'string' ? [text(message.content)] : isArray(message.content) ? message.content : [];
    if (entry.type === 'user') input.push(...content);
    if (entry.type !== 'assistant' || message.model === '<synthetic>') continue;
    const id = String(message.id);
    const known = steps.get(id);
    if (known !== undefined) known.blocks.push(...content);
    else {
      steps.set(id, { input, blocks: [...content] });
      input = [];
    }
  }
  return [...steps.values()];
}
