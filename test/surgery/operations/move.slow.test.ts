// Every session that the real client wrote, moved to another folder and back.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { folderFor, planMove } from '../../../src/surgery/operations/move.ts';
import { launchFolderOf } from '../../../src/surgery/operations/moved-projects.ts';
import { benchOf, contentsOf, someRealSessions } from '../../support/surgery-kit.ts';

test('real sessions, moved there and back, have their old bytes', async (context) => {
  const sessions = someRealSessions(0);
  assert.ok(sessions.length > 50, `${sessions.length} sessions`);
  for (const file of sessions) {
    const bench = benchOf(context, file);
    // The recordings name the folder of the machine that they were made on.
    const text = readFileSync(bench.main, 'latin1').replaceAll(
      `/home/dev/.claude/projects/-home-dev-widgets`,
      bench.folder,
    );
    writeFileSync(bench.main, text, 'latin1');
    const before = contentsOf(bench.root);
    const expected = requestMessages(await loadSession(bench.main));
    const source = await loadSource(bench.main);
    const from = launchFolderOf(source.session, source.folder) ?? '/home/dev/widgets';
    const move = async (main: string, a: string, b: string, folder: string): Promise<string> => {
      const here = await loadSource(main);
      const { plan, sources } = await planMove([{ source: here, folder, cwd: { from: a, to: b } }], { words: [] });
      return (await operate(plan, sources, { env: bench.env })).to.path;
    };
    const there = await move(bench.main, from, '/srv/elsewhere/x', folderFor(bench.folder, '/srv/elsewhere/x'));
    assert.ok(!existsSync(bench.main));
    const sent = JSON.stringify(requestMessages(await loadSession(there)));
    assert.equal(sent.replaceAll(path.dirname(there), bench.folder), JSON.stringify(expected), file);
    await move(there, '/srv/elsewhere/x', from, bench.folder);
    assert.deepEqual(contentsOf(bench.root), before, file);
  }
});
