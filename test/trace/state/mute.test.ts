// What was muted is not sent: by no run while it is muted, and what was said in that time by no later run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { runHook } from '../../../src/trace/hook/hook.ts';
import { sendOutbox } from '../../../src/trace/outbox/send.ts';
import { traceSession } from '../../../src/trace/session/trace-session.ts';
import { activeMute, type Mute, mute, readMutes, unmute } from '../../../src/trace/state/mute.ts';
import { type TracePlaces, tracePlaces } from '../../../src/trace/state/places.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../../support/trace-kit.ts';
import { type Receiver, startReceiver } from '../../support/trace-receiver.ts';

/** Turns of four seconds each at 10:00, 10:10, 10:20 of 2026-03-01. */
const [first, second, third] = [
  sessionText(toolTurn('a'), { sessionId: 's', startMinute: 0 }),
  sessionText(toolTurn('b'), { sessionId: 's', startMinute: 10 }),
  sessionText(toolTurn('c'), { sessionId: 's', startMinute: 20 }),
] as const;
const at = (minute: number): number => Date.UTC(2026, 2, 1, 10, minute);

test('a muted session sends nothing, and later only what was not said while it was muted', async (context) => {
  const place = await placeFor(context);
  await place.stop(first);
  assert.deepEqual(place.answers(), ['msg_aa', 'msg_ab']);
  assert.equal(await mute(place.places, { kind: 'session', name: 's' }, at(5)), true);
  await place.stop(first + second);
  assert.equal(place.answers().length, 2);
  assert.equal(await unmute(place.places, { kind: 'session', name: 's' }, at(15)), true);
  await place.stop(first + second + third);
  await place.backfill();
  assert.deepEqual(place.answers(), ['msg_aa', 'msg_ab', 'msg_ca', 'msg_cb']);
});

test('what was said before a mute can be sent after it', async (context) => {
  const place = await placeFor(context);
  await mute(place.places, { kind: 'session', name: 's' }, at(5));
  await place.stop(first + second);
  await place.backfill();
  assert.deepEqual(place.answers(), []);
  await unmute(place.places, { kind: 'session', name: 's' }, at(15));
  await place.backfill();
  assert.deepEqual(place.answers(), ['msg_aa', 'msg_ab']);
});

test('a turn that continues while the session is muted is not sent', async (context) => {
  const place = await placeFor(context);
  const target = { kind: 'session', name: 's' } as const;
  await mute(place.places, target, at(0) + 2_000);
  await unmute(place.places, target, at(5));
  await place.stop(first);
  assert.deepEqual(place.answers(), []);
  await mute(place.places, target, at(10) - 60_000);
  await unmute(place.places, target, at(10) - 30_000);
  await place.stop(first + second);
  assert.deepEqual(place.answers(), ['msg_ba', 'msg_bb']);
});

test('what follows a Stop is muted like its turn', async (context) => {
  const place = await placeFor(context);
  const late = sessionText([assistant('more', { message: { id: 'msg_late' } })], { sessionId: 's', startMinute: 16 });
  const target = { kind: 'session', name: 's' } as const;
  await mute(place.places, target, at(9));
  await place.stop(second);
  await unmute(place.places, target, at(15));
  await place.stop(second + late);
  assert.deepEqual(place.answers(), []);
});

test('the span of a turn that was sent before a mute is not sent again for what was said in it', async (context) => {
  const place = await placeFor(context);
  const late = (minute: number): string =>
    sessionText([assistant('more', { message: { id: `msg_${minute}` } })], { sessionId: 's', startMinute: minute });
  const target = { kind: 'session', name: 's' } as const;
  await place.stop(first);
  await place.stop(first + late(2));
  const turns = (): number => place.receiver.spans.filter(({ name }) => name === 'Turn 1').length;
  assert.deepEqual([turns(), place.answers()], [2, ['msg_aa', 'msg_ab', 'msg_2']]);
  await mute(place.places, target, at(5));
  await place.stop(first + late(2) + late(6));
  await unmute(place.places, target, at(7));
  await place.stop(first + late(2) + late(6) + late(8));
  await place.backfill();
  assert.deepEqual([turns(), place.answers()], [2, ['msg_aa', 'msg_ab', 'msg_2']]);
});

test('a muted folder mutes what is said in it and below it', async (context) => {
  const place = await placeFor(context);
  await mute(place.places, { kind: 'project', name: '/home/kim/work' }, at(0));
  const folders = ['/home/kim/work', '/home/kim/work/deep/er', '/home/kim/workshop', '/home/kim'];
  const text = folders
    .map((cwd, i) => sessionText(toolTurn(`f${i}`), { sessionId: 's', cwd, startMinute: i }))
    .join('');
  await place.stop(text);
  assert.deepEqual(place.answers(), ['msg_f2a', 'msg_f2b', 'msg_f3a', 'msg_f3b']);
});

test('agents that no call started are muted with their session', async (context) => {
  const place = await placeFor(context);
  const warmUp = [user('warm up'), assistant('ready', { message: { id: 'msg_warm' } })];
  const agent = sessionText(warmUp, { sessionId: 's', isSidechain: true, agentId: 'w1' });
  writeTree(place.home, { 'p/s/subagents/agent-w1.jsonl': agent });
  await mute(place.places, { kind: 'session', name: 's' }, at(5));
  await unmute(place.places, { kind: 'session', name: 's' }, at(15));
  await place.stop(first + second);
  await place.backfill();
  assert.deepEqual(place.answers(), ['msg_aa', 'msg_ab']);
});

test('agents that no call started are muted with the folder of their session, and with their own', async (context) => {
  const place = await placeFor(context);
  const agentIn = (cwd: string): string =>
    sessionText([user('warm up'), assistant('ready', { message: { id: 'msg_warm' } })], {
      sessionId: 's',
      isSidechain: true,
      agentId: 'w1',
      cwd,
    });
  await mute(place.places, { kind: 'project', name: '/muted' }, at(5));
  await unmute(place.places, { kind: 'project', name: '/muted' }, at(15));
  for (const [cwd, agentCwd, sent] of [
    ['/muted', '/elsewhere', []] as const,
    ['/work', '/muted', []] as const,
    ['/work', '/work', ['msg_warm']] as const,
  ]) {
    writeTree(place.home, {
      'p/s.jsonl': sessionText(toolTurn('a'), { sessionId: 's', cwd }),
      'p/s/subagents/agent-w1.jsonl': agentIn(agentCwd),
    });
    await place.backfill();
    assert.deepEqual(
      place.answers().filter((id) => id === 'msg_warm'),
      sent,
      `${cwd} ${agentCwd}`,
    );
  }
});

test('a background agent is muted with the turn that started it, and left out with its folder', async (context) => {
  for (const [isMuted, projects, sent] of [
    [true, '', ['msg_later', 'msg_noted']] as const,
    [false, '!/secret', ['msg_later', 'msg_noted']] as const,
    [false, '', ['msg_start', 'msg_later', 'msg_noted', 'msg_bg']] as const,
  ]) {
    const place = await placeFor(context, { CLEW_TRACE_PROJECTS: projects });
    const call = [
      user('go'),
      assistant([toolUse('toolu_bg', 'Agent', { prompt: 'Count' })], { message: { id: 'msg_start' } }),
      user([toolResult('toolu_bg', 'it runs')], { toolUseResult: { isAsync: true, agentId: 'bg' } }),
    ];
    const later = [
      user('and?'),
      assistant('I wait', { message: { id: 'msg_later' } }),
      user('<task-notification>\n<task-id>bg</task-id>\n</task-notification>'),
      assistant('noted', { message: { id: 'msg_noted' } }),
    ];
    const cwd = projects === '' ? '/work' : '/secret';
    const [started, ended] = [
      sessionText(call, { sessionId: 's', startMinute: 0, cwd }),
      sessionText(later, { sessionId: 's', startMinute: 10, cwd: '/work' }),
    ];
    const agent = [user('Count'), assistant('two', { message: { id: 'msg_bg' } })];
    writeTree(place.home, {
      'p/s/subagents/agent-bg.jsonl': sessionText(agent, { sessionId: 's', isSidechain: true, agentId: 'bg', cwd }),
    });
    if (isMuted) await mute(place.places, { kind: 'session', name: 's' }, at(-1));
    await place.stop(started);
    if (isMuted) await unmute(place.places, { kind: 'session', name: 's' }, at(5));
    await place.stop(started + ended);
    assert.deepEqual(place.answers(), sent, `${isMuted} ${projects}`);
    await place.backfill();
    assert.deepEqual(place.answers(), sent, `${isMuted} ${projects}, backfill`);
  }
});

test('a run counts the turns that were muted', async (context) => {
  const place = await placeFor(context);
  await mute(place.places, { kind: 'session', name: 's' }, at(5));
  writeTree(place.home, { 'p/s.jsonl': first + second });
  for (const isDryRun of [true, false]) {
    const report = await traceSession({ ...runOf(place.file, 'session'), isDryRun }, contextFor(place.env));
    assert.deepEqual([report.turns, report.mutedTurns, report.spans], [2, 2, 0]);
  }
});

test('muting twice or unmuting what is not muted changes nothing', async (context) => {
  const { places } = await placeFor(context);
  const target = { kind: 'session', name: 's' } as const;
  assert.equal(await unmute(places, target, 1), false);
  assert.deepEqual(readMutes(places), []);
  assert.deepEqual([await mute(places, target, 1), await mute(places, target, 2)], [true, false]);
  assert.deepEqual(readMutes(places), [{ ...target, sinceMs: 1 }]);
  assert.equal(await unmute(places, target, 3), true);
  assert.equal(await mute(places, target, 4), true);
  const expected: Mute[] = [
    { ...target, sinceMs: 1, untilMs: 3 },
    { ...target, sinceMs: 4 },
  ];
  assert.deepEqual(readMutes(places), expected);
  assert.deepEqual(activeMute(readMutes(places), { sessionId: 's', cwd: undefined }), expected[1]);
  assert.equal(activeMute(readMutes(places), { sessionId: 'other', cwd: '/w' }), undefined);
});

test('where what is muted cannot be read, nothing is sent and the log says why', async (context) => {
  const place = await placeFor(context);
  for (const content of [
    '{',
    '{"muted":[{"kind":"sesion","name":"s","sinceMs":1}]}',
    '{"muted":[{"kind":"session"}]}',
  ]) {
    writeTree(place.home, { 'clew/trace/muted.json': content });
    await place.stop(first);
  }
  assert.deepEqual(place.answers(), []);
  const log = readFileSync(place.places.log, 'utf8').trim().split('\n');
  assert.equal(log.length, 3);
  for (const line of log) assert.match(line, /muted\.json is not a list of mutes; delete it and mute again/);
});

interface Place {
  readonly home: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly places: TracePlaces;
  readonly receiver: Receiver;
  /** The session's text grows, and its Stop hook runs. */
  stop(text: string): Promise<void>;
  backfill(): Promise<void>;
  /** The messages that arrived. */
  answers(): readonly unknown[];
}

async function placeFor(context: TestContext, more: Readonly<Record<string, string>> = {}): Promise<Place> {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  const env = traceEnv(home, receiver.url, more);
  const file = path.join(home, 'p', 's.jsonl');
  const send = async (): Promise<void> => {
    const { places, config } = contextFor(env);
    await sendOutbox({ places, destinations: config.destinations });
  };
  return {
    home,
    file,
    env,
    places: tracePlaces(env),
    receiver,
    stop: async (text) => {
      writeTree(home, { 'p/s.jsonl': text });
      await runHook(JSON.stringify({ transcript_path: file, hook_event_name: 'Stop' }), { env, startSender: () => {} });
      await send();
    },
    backfill: async () => {
      await traceSession({ ...runOf(file, 'session'), fromStart: true }, contextFor(env));
      await send();
    },
    answers: () =>
      receiver.spans.flatMap(({ attributes }) => attributes['langfuse.observation.metadata.message_id'] ?? []),
  };
}
