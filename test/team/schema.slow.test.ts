import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, migrate, schemaVersion } from '../../src/team/database/index.ts';
import { noPostgres, startPostgres } from '../support/postgres.ts';

test('an empty database gets the store, and a second time changes nothing', { skip: noPostgres }, async (context) => {
  const server = startPostgres(context);
  const sql = await connect(server.address());
  context.after(() => sql.end());
  assert.deepEqual(await migrate(sql), { from: 0, to: schemaVersion });
  assert.deepEqual(await migrate(sql), { from: schemaVersion, to: schemaVersion });
  assert.equal(
    server.run("SELECT count(*) FROM pg_class WHERE relnamespace = 'clew'::regnamespace AND relkind = 'p'"),
    '10\n',
  );
});
