// Who sees and adds which rows. Nobody is granted UPDATE or DELETE. Functions in a policy are wrapped in SELECT, so that they
// run once per statement.
import { tableLevels } from './content.ts';

const mine = 'person = (SELECT clew.my_person())';
const readers = 'person = (SELECT clew.reader_person())';
const inTenant = 'tenant = (SELECT clew.my_tenant())';

/** What decides about the rows of text that someone sees, as SQL. */
interface Viewer {
  readonly tenant: string;
  readonly reader: string;
  /** Whether a reading of everyone was announced. */
  readonly everyone: string;
  /** The sessions whose reading was announced. */
  readonly sessions: string;
}

function textOfOthers({ everyone, sessions }: Pick<Viewer, 'everyone' | 'sessions'>): string {
  return `${everyone} OR person || ' ' || session_id = ANY(${sessions})`;
}

/** The rows of text that someone sees: as the policies say it, for a function that knows the answers they need. */
export function seenText(viewer: Viewer): string {
  return `tenant = ${viewer.tenant} AND (person = ${viewer.reader} OR ${textOfOthers(viewer)})`;
}

/** By the level of a table: whose rows are seen, apart from one's own. */
const others: Readonly<Record<1 | 2 | 3, string>> = {
  1: '(SELECT clew.sees_others()) OR person = ANY((SELECT clew.led_people())::integer[])',
  2: '(SELECT clew.sees_others())',
  3: textOfOthers({
    everyone: '(SELECT clew.announced_everyone())',
    sessions: '(SELECT clew.announced_sessions())::text[]',
  }),
};

/** Original files of others are for auditors alone: developers agreed to share redacted text. */
const packsOfOthers = `(NOT is_original OR (SELECT clew.is_in('clew_auditor'))) AND (${others[3]})`;

/** The rows of a table that the connected role sees. */
export function seenBy(table: keyof typeof tableLevels): string {
  return `${inTenant} AND (${readers} OR ${table === 'packs' ? packsOfOthers : others[tableLevels[table]]})`;
}

function contentPolicies(table: keyof typeof tableLevels): string {
  const needed = table === 'packs' ? 'CASE WHEN is_original THEN 4 ELSE 3 END' : String(tableLevels[table]);
  const add =
    table === 'sessions'
      ? ''
      : `GRANT INSERT ON clew.${table} TO clew_developer, clew_lead, clew_auditor, clew_gateway;
CREATE POLICY add ON clew.${table} FOR INSERT WITH CHECK (${inTenant} AND ${mine}
  AND session_id = (SELECT clew.opened_session()) AND month = ANY((SELECT clew.opened_months())::date[])
  AND (SELECT clew.opened_level()) >= ${needed});`;
  return `
ALTER TABLE clew.${table} ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON clew.${table} TO clew_developer, clew_lead, clew_auditor, clew_gateway;
CREATE POLICY see ON clew.${table} FOR SELECT USING (${seenBy(table)});
${add}`;
}

function plainPolicy(table: string, using: string, columns = ''): string {
  return `
ALTER TABLE clew.${table} ENABLE ROW LEVEL SECURITY;
GRANT SELECT ${columns} ON clew.${table} TO clew_developer, clew_lead, clew_auditor, clew_gateway;
CREATE POLICY see ON clew.${table} FOR SELECT USING (${inTenant} AND (${using}));`;
}

const callable = [
  'is_in(text)',
  'login_person()',
  'reader_person()',
  'my_person()',
  'my_tenant()',
  'my_most_level()',
  'sees_others()',
  'led_people()',
  'open_session(jsonb)',
  'remove_session(text, text, text, smallint)',
  'hello(text)',
  'goodbye(text, text)',
  'announce_reading(text, integer, text, text)',
  'announced_everyone()',
  'announced_sessions()',
  'opened_session()',
  'opened_level()',
  'opened_months()',
  'matching_documents(tsquery, integer[], date, date)',
  'matching_exchanges(tsquery, integer[], date, date)',
];

export const policies: string = [
  `GRANT USAGE ON SCHEMA clew TO clew_developer, clew_lead, clew_auditor, clew_gateway;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA clew FROM PUBLIC;
${callable.map((name) => `GRANT EXECUTE ON FUNCTION clew.${name} TO clew_developer, clew_lead, clew_auditor, clew_gateway;`).join('\n')}`,
  ...(Object.keys(tableLevels) as (keyof typeof tableLevels)[]).map(contentPolicies),
  plainPolicy('usage_days', `${readers} OR ${others[1]}`),
  plainPolicy('usage_totals', '(SELECT clew.sees_others())'),
  plainPolicy('tenants', 'true'),
  plainPolicy('people', 'true', '(tenant, person, name)'),
  plainPolicy('price_versions', 'true'),
  plainPolicy('groups', 'true'),
  plainPolicy('members', 'true'),
  plainPolicy('retention', 'true'),
  // The reason is between the administrator and the auditors; a push learns only that a session is held.
  plainPolicy('holds', "(SELECT clew.is_in('clew_auditor'))"),
  plainPolicy('tombstones', readers),
  plainPolicy('machines', readers),
  plainPolicy(
    'readings',
    `${readers} OR reader_person = (SELECT clew.reader_person()) OR (SELECT clew.is_in('clew_auditor'))`,
  ),
  // Nobody's rows: without a policy they are the owner's alone.
  ...['opened', 'removals', 'migrations'].map((table) => `ALTER TABLE clew.${table} ENABLE ROW LEVEL SECURITY;`),
].join('\n');
