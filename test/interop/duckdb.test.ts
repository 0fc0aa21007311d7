// The tables of `clew export --format parquet`, read by the real DuckDB: the queries of docs/parquet.md run, and the
// sums are those of `clew usage`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { jsonOf } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { importPackage } from './client.ts';

/** What is used of `@duckdb/node-api`. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): JsonObject[] }> }>;
    }>;
  };
}

test('DuckDB answers the five questions of the page, and its sums are those of clew usage', async (context) => {
  const folder = path.join(temporaryFolder(context), 'tables');
  jsonOf(['export', '--all', '--demo', '--format', 'parquet', '-o', folder, '--json']);
  const { DuckDBInstance } = (await importPackage('@duckdb/node-api', '1.5.6-r.1')) as DuckDb;
  const connection = await (await DuckDBInstance.create()).connect();
  const ask = async (sql: string): Promise<JsonObject[]> => {
    const here = sql.replaceAll(/'(\w+\/\*\/\*\.parquet)'/g, (_, files: string) => `'${path.join(folder, files)}'`);
    return (await connection.runAndReadAll(here)).getRowObjectsJson();
  };
  const [sums] = await ask(
    `SELECT count(*) AS messages, sum(output_tokens)::BIGINT AS output, sum(cost_micro_usd)::BIGINT AS cost FROM 'usage/*/*.parquet'`,
  );
  const { totals } = jsonOf(['usage', '--demo', '--json']) as { readonly totals: JsonObject };
  assert.deepEqual(
    [Number(sums?.messages), Number(sums?.output), Number(sums?.cost)],
    [totals.messages, totals.outputTokens, totals.costMicroUsd],
  );
  const page = readFileSync(path.join(projectRoot, 'docs/parquet.md'), 'utf8');
  const queries = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  assert.equal(queries.length, 5);
  for (const query of queries) assert.ok((await ask(query)).length > 0, query);
  const [mostCalled] = await ask(queries[2] ?? '');
  const { tools } = jsonOf(['stats', '--demo', '--json']) as { readonly tools: readonly JsonObject[] };
  assert.deepEqual([mostCalled?.name, Number(mostCalled?.calls)], [tools[0]?.name, tools[0]?.calls]);
});
