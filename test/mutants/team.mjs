// The store of a team: what a role may not see or change, and what is kept although someone wants it gone.
const policies = 'src/team/schema/policies.ts';
const readings = 'src/team/schema/readings.ts';
const retention = 'src/team/schema/retention.ts';
const push = 'src/team/schema/functions.ts';
const identity = 'src/team/schema/identity.ts';
const attempts = ['team/schema/attempts.slow'];
const kept = ['team/admin/retention.slow'];
const people = ['team/admin/people.slow'];
const erased = ['team/admin/erase.slow'];

export const mutants = [
  {
    id: 'store-originals-for-developers',
    file: policies,
    find: "(NOT is_original OR (SELECT clew.is_in('clew_auditor')))",
    replace: '(NOT is_original OR true)',
    tests: attempts,
  },
  {
    id: 'store-rows-for-others',
    file: policies,
    find: "const mine = 'person = (SELECT clew.my_person())'",
    replace: "const mine = 'person > 0'",
    tests: attempts,
  },
  {
    id: 'store-own-announcement',
    file: readings,
    find: `r.person IS NULL AND r.at > clock_timestamp() - interval '1 minute'
    AND r.xact <> coalesce(pg_current_xact_id_if_assigned(), '0'::xid8))`,
    replace: `r.person IS NULL AND r.at > clock_timestamp() - interval '1 minute')`,
    tests: attempts,
  },
  {
    id: 'store-search-without-policy',
    file: readings,
    find: 'WHERE words @@ query AND (of_people IS NULL',
    replace: 'WHERE words @@ query OR (of_people IS NULL',
    tests: attempts,
  },
  {
    id: 'store-reused-login',
    file: identity,
    find: 'AND login_oid = to_regrole(quote_ident(session_user)) AND',
    replace: 'AND',
    tests: people,
  },
  {
    id: 'store-forget-despite-hold',
    file: retention,
    find: 'AND person = of_person AND released_at IS NULL) THEN',
    replace: 'AND person = of_person AND released_at IS NULL AND false) THEN',
    tests: kept,
  },
  {
    id: 'store-removes-held-copy',
    file: push,
    find: "AND starts_with(h.session_id, id || '@')) THEN",
    replace: "AND h.session_id = id || '@') THEN",
    tests: kept,
  },
  {
    id: 'store-end-in-the-future',
    file: retention,
    find: 'least(s.ended_at, s.pushed_at) < now()',
    replace: 'coalesce(s.ended_at, s.pushed_at) < now()',
    tests: kept,
  },
  {
    id: 'store-text-in-statistics',
    file: 'src/team/schema/months.ts',
    find: 'ALTER COLUMN %I SET STATISTICS 0',
    replace: 'ALTER COLUMN %I SET STATISTICS 100',
    tests: erased,
  },
  {
    id: 'store-announcement-not-on-disk',
    file: readings,
    find: "EXECUTE format('DROP TABLE clew.%I', 'announced_' || announced);",
    replace: '',
    tests: erased,
  },
  {
    id: 'store-batches-of-other-tenants',
    file: 'src/team/schema/gateway.ts',
    find: 'AND b.tenant = clew.my_tenant() AND b.stage',
    replace: 'AND b.stage',
    tests: attempts,
  },
  {
    id: 'store-erases-too-early',
    file: 'src/team/admin/erase.ts',
    find: 'AND age(xact::xid) > (',
    replace: 'AND age(xact::xid) > 0 * (',
    tests: erased,
  },
];
