// The answers of the server for the demo library, and after a session is removed.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { turnViews } from '../../../src/export/page/turn-view.ts';
import { openLibrary } from '../../../src/library/library.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { keyParam, readJson, readText } from '../../../src/web/client/client.ts';
import { demoProjects } from '../../support/demo-library.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';

const building = '463b11e7-f2cd-4a8c-b793-f776502024ef';

test('the demo library', async (context) => {
  const server = await openWebServer(context, demoProjects());
  const { client, root } = server;
  await server.isCurrent();
  const library = openLibrary({ roots: [root], state: 'memory' });
  context.after(() => library.close());
  library.update();
  const main = (id: string, project = '-home-ada-lighthouse'): string =>
    path.join(root, 'projects', project, `${id}.jsonl`);

  await context.test('the list has every session with the facts of `clew ls` and `clew usage`', async () => {
    const { sessions } = await library.sessions();
    const { rows } = library.usage({ by: 'session' });
    const { rows: shown, total } = await readJson(client.sessions.$get({ query: { sort: 'title' } }));
    assert.equal(total, sessions.length);
    assert.deepEqual(
      shown.map(({ id, title, turns, entries, agents, costMicroUsd, sizeBytes, cwd, isLive }) => {
        return { id, title, turns, entries, agents, costMicroUsd, sizeBytes, cwd, isLive };
      }),
      sessions
        .map(({ sessionId: id, title, turns, entries, agents, sizeBytes, cwd }) => {
          const costMicroUsd = rows.find(({ key }) => key === id)?.costMicroUsd;
          return { id, title, turns, entries, agents, costMicroUsd, sizeBytes, cwd, isLive: false };
        })
        .sort((a, b) => (String(a.title).toLowerCase() < String(b.title).toLowerCase() ? -1 : 1)),
    );
  });

  await context.test('the list sorts, filters and pages', async () => {
    const sizes = (await readJson(client.sessions.$get({ query: { sort: 'size' } }))).rows.map(
      ({ sizeBytes }) => sizeBytes,
    );
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    );
    const reversed = (await readJson(client.sessions.$get({ query: { sort: 'size', reverse: true } }))).rows.map(
      ({ sizeBytes }) => sizeBytes,
    );
    assert.deepEqual(reversed, sizes.toReversed());
    const second = await readJson(client.sessions.$get({ query: { sort: 'size', offset: 1, limit: 2 } }));
    assert.deepEqual([second.rows.map(({ sizeBytes }) => sizeBytes), second.total], [sizes.slice(1, 3), sizes.length]);
    assert.deepEqual(
      (await readJson(client.sessions.$get({ query: { project: '/home/ada/recipes' } }))).rows.map(
        ({ project }) => project,
      ),
      ['/home/ada/recipes'],
    );
    assert.deepEqual(
      (await readJson(client.sessions.$get({ query: { text: 'LOGO svg' } }))).rows.map(({ title }) => title),
      ['Draw the lighthouse logo as SVG'],
    );
    assert.equal((await readJson(client.sessions.$get({ query: { only: 'live' } }))).total, 0);
    const projects = await readJson(client.projects.$get());
    assert.deepEqual(projects.map(({ project, sessions }) => [project, sessions]).sort(), [
      ['/home/ada/lighthouse', 4],
      ['/home/ada/recipes', 1],
    ]);
  });

  await context.test(
    'the parts of a session are those that export/page makes, whatever range is asked for',
    async () => {
      const session = await loadSession(main(building), { strict: false });
      const all = turnViews(session, { from: 0, to: 1000 });
      const whole = await readJson(
        client.sessions[':key'].turns.$get({ param: keyParam(building), query: { from: 0, to: 200 } }),
      );
      assert.deepEqual(whole.parts, JSON.parse(JSON.stringify(all)));
      assert.deepEqual([whole.total, whole.next], [all.length, null]);
      const one = await readJson(
        client.sessions[':key'].turns.$get({ param: keyParam(building), query: { from: 1, to: 2 } }),
      );
      assert.deepEqual(one.parts, JSON.parse(JSON.stringify(all.slice(1, 2))));
      const { head, version } = await readJson(client.sessions[':key'].$get({ param: keyParam(building) }));
      assert.equal(head.sessionId, building);
      assert.equal(head.parts, all.length);
      assert.equal(version, whole.version);
    },
  );

  await context.test(
    'a sub-agent is a session of its own, and its place is under the call that started it',
    async () => {
      const { head } = await readJson(client.sessions[':key'].$get({ param: keyParam(building) }));
      const agent = head.agents[0]?.agentId ?? '';
      const own = await readJson(client.sessions[':key'].turns.$get({ param: keyParam(building), query: { agent } }));
      assert.ok(own.parts.length > 0);
      const place = await readJson(
        client.sessions[':key'].place.$get({ param: keyParam(building), query: { line: 1, agent } }),
      );
      assert.deepEqual([place.agentId, place.shown?.branch, place.shown?.trail], [agent, 1, [agent]]);
      assert.deepEqual([place.shown?.line, place.shown?.agentPart], [1, 0]);
      const call = { from: place.shown?.part ?? -1, to: (place.shown?.part ?? -1) + 1 };
      const { parts } = await readJson(client.sessions[':key'].turns.$get({ param: keyParam(building), query: call }));
      const items = parts.flatMap((part) => part.items);
      const started = items.find((item) => item.kind === 'call' && item.agent?.agentId === agent);
      const line = await readJson(
        client.sessions[':key'].lines[':line'].$get({
          param: { key: building, line: String(started?.place.line ?? 0) },
        }),
      );
      assert.ok(line.text.includes(head.agents[0]?.toolUseId ?? '?'));
      await assert.rejects(
        readJson(client.sessions[':key'].turns.$get({ param: keyParam(building), query: { agent: 'nobody' } })),
        { status: 404 },
      );
    },
  );

  await context.test('the raw line is the line of the file, byte for byte', async () => {
    const lines = readFileSync(main(building), 'utf8').split('\n');
    for (const number of [1, 2, lines.length - 1]) {
      const {
        text: shown,
        isCut,
        sizeBytes,
      } = await readJson(
        client.sessions[':key'].lines[':line'].$get({ param: { key: building, line: String(number) } }),
      );
      assert.deepEqual(
        [shown, isCut, sizeBytes],
        [lines[number - 1], false, Buffer.byteLength(lines[number - 1] ?? '')],
      );
    }
    await assert.rejects(
      readJson(
        client.sessions[':key'].lines[':line'].$get({ param: { key: building, line: String(lines.length + 5) } }),
      ),
      { status: 404 },
    );
  });

  await context.test('the lines of search results contain the word', async () => {
    const { total, sessions } = await readJson(client.search.$get({ query: { text: 'accented' } }));
    assert.ok(total > 0 && sessions.length > 0);
    for (const { key, hits } of sessions)
      for (const { line, agentId, snippet } of hits) {
        assert.match(
          snippet
            .filter(({ isMatch }) => isMatch)
            .map(({ text: word }) => word)
            .join(),
          /accented/i,
        );
        const raw = await readJson(
          client.sessions[':key'].lines[':line'].$get({
            param: { key: key, line: String(line) },
            query: agentId === null ? {} : { agent: agentId },
          }),
        );
        assert.match(raw.text, /accented/i);
      }
    const only = await readJson(client.search.$get({ query: { text: 'the', session: building } }));
    assert.deepEqual(
      only.sessions.map(({ key }) => key),
      [building],
    );
  });

  await context.test('usage equals `clew usage` for every kind of report', async () => {
    for (const by of ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'] as const) {
      const { rows, totals } = library.usage({ by });
      const answer = await readJson(client.usage.$get({ query: { by } }));
      assert.deepEqual(
        answer.rows.map(({ key, costMicroUsd, outputTokens, messages }) => [
          key ?? '',
          costMicroUsd,
          outputTokens,
          messages,
        ]),
        rows.map(({ key, costMicroUsd, outputTokens, messages }) => [
          key,
          costMicroUsd ?? null,
          outputTokens,
          messages,
        ]),
        by,
      );
      assert.equal(answer.totals.costMicroUsd, totals.costMicroUsd ?? null);
    }
    const { rows } = await readJson(client.usage.$get({ query: { by: 'session', project: '/home/ada/recipes' } }));
    assert.deepEqual(
      rows.map(({ session }) => session?.key),
      ['8f1e8572-039f-44b0-89fa-1bf77d576419'],
    );
  });

  await context.test('the most expensive sessions and turns add up to the total', async () => {
    const { totals } = await readJson(client.usage.$get());
    const { sessions, turns } = await readJson(client.usage.top.$get());
    const sum = (rows: readonly { readonly costMicroUsd: number }[]): number =>
      rows.reduce((all, row) => all + row.costMicroUsd, 0);
    assert.equal(sum(sessions), totals.costMicroUsd);
    assert.equal(sum(turns), totals.costMicroUsd);
    assert.ok(turns.every(({ prompt }) => prompt !== ''));
    const receipts = await readJson(client.usage.receipts.$get({ query: { session: sessions[0]?.key ?? '' } }));
    assert.equal(receipts.totals.costMicroUsd, sessions[0]?.costMicroUsd);
    assert.equal(
      sum(receipts.receipts.map(({ costMicroUsd }) => ({ costMicroUsd: costMicroUsd ?? 0 }))),
      sessions[0]?.costMicroUsd,
    );
    assert.ok(
      (await readJson(client.usage.tools.$get())).tools.some(({ name, calls }) => name === 'Edit' && calls > 0),
    );
  });

  await context.test('Markdown of a session begins with its title, of a turn with its prompt', async () => {
    assert.match(await readText(client.sessions[':key'].markdown.$get({ param: keyParam(building) })), /^# /);
    assert.match(
      await readText(client.sessions[':key'].markdown.$get({ param: keyParam(building), query: { turn: 2 } })),
      /^## 2\. /,
    );
    assert.equal(
      await readText(client.sessions[':key'].markdown.$get({ param: keyParam(building), query: { turn: 99 } })),
      '',
    );
  });

  await context.test('doctor examines the whole library and reports its progress', async () => {
    const events = server.listen('/api/events');
    await events.next('hello');
    assert.equal((await readJson(client.doctor.$post({ json: {} }))).state, 'running');
    const { sessionsDone, sessionsTotal } = await events.next('doctor', ({ state }) => state === 'done');
    assert.deepEqual([sessionsDone, sessionsTotal], [5, 5]);
    assert.equal((await readJson(client.doctor.$get())).state, 'done');
    for (const { severity } of (await readJson(client.sessions.$get())).rows) assert.notEqual(severity, null);
  });
  assert.deepEqual(server.faults, []);
});

test('a removed session is not found, and the server keeps running', async (context) => {
  const server = await openWebServer(context, {
    [`-p/${sessionId}.jsonl`]: transcript().user('a').assistant('b').text(),
  });
  await server.isCurrent();
  await readJson(server.client.sessions[':key'].$get({ param: keyParam(sessionId) }));
  const events = server.listen('/api/events');
  await events.next('hello');
  rmSync(path.join(server.root, 'projects/-p', `${sessionId}.jsonl`));
  await assert.rejects(readJson(server.client.sessions[':key'].$get({ param: keyParam(sessionId) })), { status: 404 });
  assert.deepEqual((await events.next('sessions', ({ gone }) => gone.length > 0)).gone, [sessionId]);
  assert.equal((await readJson(server.client.sessions.$get())).total, 0);
});
