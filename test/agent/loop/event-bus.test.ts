// The order in which listeners get an event, and what happens if it cannot be written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../../../src/agent/contract/event.ts';
import { EventBus } from '../../../src/agent/loop/event-bus.ts';
import { FakeClock } from '../../support/loop-kit.ts';

const notice = (text: string) => ({ type: 'notice', level: 'info', text }) as const;

function textOf(event: AgentEvent): string {
  return event.type === 'notice' ? event.text : event.type;
}

/** Records who got which event; the recorder is slower than the others. */
function setUp(heard: string[], fails: (text: string) => boolean = () => false): EventBus {
  const bus = new EventBus(new FakeClock(), [
    (event) => void heard.push(`screen ${textOf(event)}`),
    (event) => void heard.push(`log ${textOf(event)}`),
  ]);
  bus.setRecorder(async (event) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (fails(textOf(event))) throw new Error(`cannot write ${textOf(event)}`);
    heard.push(`file ${textOf(event)}`);
  });
  return bus;
}

test('an event is in the file before other listeners get it, and events keep their order', async () => {
  const heard: string[] = [];
  const bus = setUp(heard);
  bus.post(notice('one'));
  await Promise.all([bus.emit(notice('two')), bus.emit(notice('three'))]);
  assert.deepEqual(
    heard,
    ['one', 'two', 'three'].flatMap((text) => [`file ${text}`, `screen ${text}`, `log ${text}`]),
  );
});

test('an event that cannot be written reaches nobody, and ends what runs', async () => {
  const heard: string[] = [];
  const failures: unknown[] = [];
  const bus = setUp(heard, (text) => text === 'two');
  bus.setOnFailure((error) => failures.push(error));
  await bus.emit(notice('one'));
  await assert.rejects(bus.emit(notice('two')), /cannot write two/);
  await bus.emit(notice('three'));
  assert.deepEqual(heard, ['file one', 'screen one', 'log one', 'file three', 'screen three', 'log three']);
  assert.deepEqual(failures.map(String), ['Error: cannot write two']);
});

test('a failure that nobody awaited rejects the next event', async () => {
  const heard: string[] = [];
  const bus = setUp(heard, (text) => text === 'one');
  bus.post(notice('one'));
  await assert.rejects(bus.emit(notice('two')), /cannot write one/);
  await bus.emit(notice('three'));
  assert.deepEqual(heard, ['file three', 'screen three', 'log three']);
});
