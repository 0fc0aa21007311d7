// A route or a worker method that is renamed on one side must not compile on the other. Each `@ts-expect-error` below is
// an error that the compiler must report: without the error, the tests do not compile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../src/web/client/client.ts';
import { type Handlers, makeHandlers } from '../../src/web/server/http/handlers.ts';
import { SessionList } from '../../src/web/server/http/session-list.ts';
import type { Thread } from '../../src/web/server/workers/thread.ts';
import type { Emit, WorkerMethods } from '../../src/web/server/workers/worker-methods.ts';
import { openWebServer } from '../support/web-server.ts';

/** Only compiled. */
export function askWrongly(client: Client, reader: Thread<'reader'>, emit: Emit<'watch'>): void {
  const session = client.sessions[':key'];
  const param = { key: 'k' };
  void session.turns.$get({ param, query: { from: 1 } });
  // @ts-expect-error: no such route
  void session.turn.$get({ param });
  // @ts-expect-error: no such method of the route
  void session.turns.$post({ param });
  // @ts-expect-error: no such query parameter
  void session.turns.$get({ param, query: { start: 1 } });
  // @ts-expect-error: a parameter of the wrong type
  void session.turns.$get({ param, query: { from: 'first' } });
  // @ts-expect-error: the key is missing
  void session.turns.$get({});
  // @ts-expect-error: no such body
  void session.fix.$post({ param, json: { inplace: true } });

  const of = { path: 'p', key: 'k' };
  void reader.ask('turns', { ...of, from: 1 });
  // @ts-expect-error: no such method of this worker
  void reader.ask('turn', of);
  // @ts-expect-error: a method of another worker
  void reader.ask('diagnosis', of);
  // @ts-expect-error: no such parameter
  void reader.ask('turns', { path: 'p', key: 'k', start: true });
  // @ts-expect-error: a parameter is missing
  void reader.ask('turns', { path: 'p' });
  // @ts-expect-error: no such event of this worker
  emit('change', []);
}

/** Only compiled. */
export async function readWrongly(client: Client, reader: Thread<'reader'>): Promise<void> {
  const response = await client.sessions[':key'].turns.$get({ param: { key: 'k' } });
  const { total } = await response.json();
  const count: number = total;
  // @ts-expect-error: the answer has no such field
  void (await response.json()).totals;
  const value = await reader.askValue('turns', { path: 'p', key: 'k' });
  const same: number = value.total;
  // @ts-expect-error: the result has no such field
  void value.totals;
  // @ts-expect-error: text is not JSON
  void (await (await client.sessions[':key'].markdown.$get({ param: { key: 'k' } })).json()).length;
  void [count, same];
}

/** Only compiled: a server or a worker that lacks a route, or answers something else. */
export function answerWrongly(handlers: Handlers, methods: WorkerMethods['reader']): void {
  const { '/api/live': live, ...others } = handlers;
  // @ts-expect-error: the server lacks a route
  const lacking: Handlers = others;
  // @ts-expect-error: a route that the page does not know
  const renamed: Handlers = { ...handlers, '/api/lives': live };
  // @ts-expect-error: the answer of another route
  const mixed: Handlers = { ...handlers, '/api/live': handlers['/api/usage/top'] };
  const { turns, ...rest } = methods;
  // @ts-expect-error: the worker lacks a method
  const unfinished: WorkerMethods['reader'] = { ...rest, turn: turns };
  void [lacking, renamed, mixed, unfinished];
}

test('the server answers every route and method of the typed API', async (context) => {
  const server = await openWebServer(context, {});
  const handlers = makeHandlers({
    sessions: new SessionList(),
    allowsChanges: false,
    hasNewest: Promise.resolve(),
    isReady: Promise.resolve(),
    // Only the names of the routes are used here.
    ...({} as Pick<
      Parameters<typeof makeHandlers>[0],
      'reader' | 'doctor' | 'status' | 'exportFolder' | 'confirmChanges' | 'hasArchive' | 'changed'
    >),
  });
  const routes = Object.entries(handlers).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.slice(1).toUpperCase(), path] as const),
  );
  assert.ok(routes.length >= 30);
  for (const [method, path] of routes) {
    const headers = { origin: server.base, 'content-type': 'application/json' };
    const request = method === 'POST' ? { method, headers, body: '{}' } : {};
    const { body } = await server.send({ path: path.replace(/:\w+/g, 'x'), ...request });
    assert.equal(body.includes('not found'), false, `${method} ${path}: ${body}`);
  }
  const unknown = await server.send({ path: '/api/sessions/x/turn' });
  assert.deepEqual([unknown.status, unknown.body.includes('not found')], [404, true]);
  assert.deepEqual(server.faults, []);
});
