// Events reach every page, and a page that does not read takes no more memory than its socket.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { EventHub, type Listener } from '../../../../src/web/server/http/change-notifier.ts';
import type { Status } from '../../../../src/web/wire/wire.ts';
import { waitFor } from '../../../support/wait.ts';

const status: Status = {
  version: '1',
  isDemo: false,
  allowsChanges: false,
  changes: 'off',
  roots: [],
  store: null,
  index: { phase: 'current', bytesDone: 0, bytesTotal: 0, sessions: 0, generation: 0 },
  notices: [],
};
const everything: Listener = { keys: new Set(), wantsLive: false };

interface Page {
  readonly answer: ServerResponse;
  readonly incoming: IncomingMessage;
  text(): string;
}

async function openHub(
  context: TestContext,
  beatMs?: number,
): Promise<{ hub: EventHub; open(listener?: Listener): Promise<Page> }> {
  const hub = new EventHub(() => status, beatMs);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  const open = async (listener: Listener = everything): Promise<Page> => {
    const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    sent.on('error', () => {});
    sent.end();
    const [, answer] = (await once(server, 'request')) as [unknown, ServerResponse];
    hub.add(answer, listener);
    const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    incoming.on('error', () => {});
    return { answer, incoming, text: () => text };
  };
  return { hub, open };
}

const append = { key: 'k', version: '', agentId: null, fromPart: 0, isReplaced: false };

test('every page receives its events in order', async (context) => {
  const { hub, open } = await openHub(context);
  const [one, two] = [await open(), await open({ keys: new Set(['k']), wantsLive: false })];
  for (let parts = 1; parts <= 100; parts++) hub.send('append', { ...append, parts }, ({ keys }) => keys.has('k'));
  hub.send('index', status.index);
  await waitFor(() => one.text().includes('event: index') && two.text().includes('event: index'));
  const parts = [...two.text().matchAll(/"parts":(\d+)/g)].map((match) => Number(match[1]));
  assert.deepEqual(
    parts,
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
  assert.equal(one.text().includes('event: append'), false);
  assert.match(one.text(), /^retry: 1000\n\nevent: hello\ndata: \{.*\}\n\n/);
});

test('a page that does not read loses events, delays no other page, and gets a hello once it reads', async (context) => {
  const { hub, open } = await openHub(context);
  const [slow, good] = [await open(), await open()];
  slow.incoming.pause();
  const filler = 'x'.repeat(64 * 1024);
  let sent = 0;
  for (; sent < 2_000 && hub.slowPages === 0; sent++) {
    hub.send('hello', { ...status, version: `n${sent}.`, notices: [filler] });
    await waitFor(() => good.text().includes(`"n${sent}."`));
  }
  assert.equal(hub.slowPages, 1);
  assert.ok(slow.answer.writableLength < 512 * 1024, `${slow.answer.writableLength} bytes wait`);
  for (let i = 0; i < 50; i++) hub.send('index', status.index);
  await waitFor(() => good.text().split('event: index').length === 51);
  assert.equal(slow.text().includes('event: index'), false);
  slow.incoming.resume();
  await waitFor(
    () =>
      slow.text().endsWith(`event: hello\ndata: ${JSON.stringify(status)}\n\n`) && slow.text().length > filler.length,
  );
  assert.equal(hub.slowPages, 0);
  hub.send('index', status.index);
  await waitFor(() => slow.text().includes('event: index'));
});

test('a closed page is removed, and an idle one gets heartbeats', async (context) => {
  const { hub, open } = await openHub(context, 20);
  const [one, two] = [await open(), await open()];
  assert.equal(hub.size, 2);
  one.incoming.destroy();
  await waitFor(() => hub.size === 1);
  await waitFor(() => two.text().includes(': beat\n\n'));
});
