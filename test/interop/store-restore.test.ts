// A session that one machine pushed into the store of a team, resumed on another one by the real client.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../support/clew.ts';
import { noPostgres } from '../support/postgres.ts';
import { pushLibrary } from '../support/pushed-library.ts';
import { startTeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { resumeLive } from './live.ts';
import { safeProfileCase } from './recordings.ts';

const version = '2.1.325';

test(
  `client ${version} resumes a session that was restored from the store of a team`,
  { skip: noPostgres },
  async (context) => {
    const { file, expected } = safeProfileCase();
    const folder = temporaryFolder(context);
    const name = path.join('projects/-w-p', path.basename(file));
    const [rootA, rootB] = [path.join(folder, 'a'), path.join(folder, 'b')];
    mkdirSync(path.dirname(path.join(rootA, name)), { recursive: true });
    copyFileSync(file, path.join(rootA, name));
    const store = await startTeamStore(context, { ada: 'developer' });
    const address = store.addressOf('ada');
    await pushLibrary({ address, root: rootA, home: path.join(folder, 'home-a'), level: 4 });
    const id = path.basename(file, '.jsonl');
    const env = { CLEW_HOME: path.join(folder, 'home-b') };
    const { status, stderr } = runClew(['restore', '--store', address, id, '--to-root', rootB], { env });
    assert.equal(status, 0, stderr);
    assert.deepEqual(await resumeLive(version, path.join(rootB, name)), expected);
  },
);
