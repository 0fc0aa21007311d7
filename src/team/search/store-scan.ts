// --exact and --regex over the store: PostgreSQL leaves out texts without the literal parts of the expression, and the texts
// that are left are judged here, by the same expression as those of the local index.
import type { Scan } from '../../library/search/index.ts';
import type { TransactionSql } from '../database/index.ts';
import { plainWords } from '../words/index.ts';
import { parseExpression, queryText } from './expression.ts';
import type { RowKey } from './handles.ts';
import type { StoreScope } from './store-scope.ts';
import { queryOfPeople } from './tsquery.ts';

/** Texts that are in memory at one time. */
const textsAtOnce = 500;

export interface ScanInput {
  readonly sql: TransactionSql;
  readonly scope: StoreScope;
}

/** The keys of the documents that match. */
export async function* scanStore(scan: Scan, input: ScanInput): AsyncGenerator<RowKey> {
  const pattern = new RegExp(scan.pattern.source, scan.pattern.flags.replace('g', ''));
  for await (const rows of scan.words === undefined ? literalRows(scan, input) : wordRows(scan.words, input))
    for (const { person, month, session_id: sessionId, nth, text } of rows)
      if (pattern.test(text)) yield { person, month, sessionId, nth };
}

interface TextColumns {
  readonly person: number;
  readonly month: string;
  readonly session_id: string;
  readonly nth: number;
  readonly text: string;
}

/** Texts with a phrase of whole words that every match has. */
async function* wordRows(match: string, { sql, scope }: ScanInput): AsyncGenerator<readonly TextColumns[]> {
  const query = queryOfPeople(queryText(parseExpression(match, plainWords)), scope.people);
  const keys = await sql<{ line: string }[]>`
    SELECT clew.found_documents(${query}::tsquery, '{}', '{}', ${scope.people as number[]}::integer[],
      ${scope.values(sql)}, ${2 ** 30}) AS line`;
  for (let at = 0; at < keys.length; at += textsAtOnce) {
    const some = keys.slice(at, at + textsAtOnce).map(({ line }) => line.split('\x1f'));
    const column = (i: number): string[] => some.map((values) => values[i] ?? '');
    yield await sql<TextColumns[]>`
      SELECT d.person, to_char(d.month, 'YYYY-MM-DD') AS month, d.session_id, d.nth, d.text
      FROM unnest(${column(0).map(Number)}::integer[], ${column(1)}::date[], ${column(2)}::text[], ${column(3).map(Number)}::integer[])
        AS k (person, month, session_id, nth)
      JOIN clew.documents d ON d.tenant = (SELECT clew.my_tenant()) AND d.person = k.person AND d.month = k.month
        AND d.session_id = k.session_id AND d.nth = k.nth`;
  }
}

/** Texts with the literals, or all texts; every text is read in PostgreSQL. */
function literalRows({ literal, others }: Scan, { sql, scope }: ScanInput): AsyncIterable<readonly TextColumns[]> {
  const literals = [...(literal === undefined ? [] : [literal]), ...others];
  const has = literals.map((each) => sql`AND strpos(d.text, ${each}) > 0`);
  return sql<TextColumns[]>`
    SELECT d.person, to_char(d.month, 'YYYY-MM-DD') AS month, d.session_id, d.nth, d.text
    FROM clew.documents d
    JOIN clew.sessions s ON s.tenant = d.tenant AND s.person = d.person AND s.session_id = d.session_id
    WHERE d.person = ANY(${scope.people as number[]}::integer[]) AND ${scope.condition(sql)}
      ${has.reduce((all, each) => sql`${all} ${each}`, sql``)}`.cursor(textsAtOnce);
}
