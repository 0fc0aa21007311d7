// docs/json.md and the output of `clew team` have the same fields: of every object, all keys in this order.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isArray, isObject, type JsonValue } from '../../../src/base/json/json.ts';
import { projectRoot } from '../../support/paths.ts';
import { noPostgres } from '../../support/postgres.ts';
import { daysAgo, startOwnedStore } from './admin-kit.ts';

test(
  'every object that clew team prints has the fields that the page lists for it',
  { skip: noPostgres },
  async (context) => {
    const { server, json, push } = startOwnedStore(context, ['bob', 'ada']);
    const printed = new Map<string, Set<string>>();
    const run = (place: string, ...words: readonly string[]): void => collect(`team ${place}`, json(...words), printed);
    await push('bob', { id: 's1', word: 'marybob', at: daysAgo(10) });
    server.attempt('ada', `SELECT clew.announce_reading('show', 1, 's1', NULL)`);
    run('init', 'init');
    run('group', 'group', 'add', 'core', 'ada');
    run('groups', 'groups');
    run('grant', 'grant', 'leah', '--role', 'lead', '--group', 'core');
    run('revoke', 'revoke', 'leah');
    run('people', 'people');
    run('most', 'most', 'files');
    run('retain', 'retain', '90d');
    run('hold', 'hold', 'ada', '--reason', 'case 12');
    run('status', 'status');
    run('release', 'release', 'ada');
    run('audit', 'audit');
    run('sweep', 'sweep');
    run('forget', 'forget', 'bob', '--yes');
    const documented = documentedFields();
    assert.deepEqual(
      Object.fromEntries([...printed].map(([place, keys]) => [place, [...keys]])),
      Object.fromEntries([...printed.keys()].map((place) => [place, [documented.get(place)]])),
    );
    assert.deepEqual(
      [...documented.keys()].filter((place) => !printed.has(place)),
      [],
    );
  },
);

function collect(place: string, value: JsonValue, into: Map<string, Set<string>>): void {
  if (isArray(value)) for (const item of value) collect(`${place}[]`, item, into);
  else if (isObject(value)) {
    into.set(place, (into.get(place) ?? new Set()).add(Object.keys(value).join(' ')));
    for (const [key, inner] of Object.entries(value)) collect(`${place}.${key}`, inner ?? null, into);
  }
}

/** Of the headings that begin with `team`. */
function documentedFields(): ReadonlyMap<string, string> {
  const page = readFileSync(path.join(projectRoot, 'docs/json.md'), 'utf8');
  const fields = new Map<string, string>();
  for (const section of page.split(/^### /m).slice(1)) {
    const [heading = ''] = section.split('\n');
    const keys = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key).join(' ');
    for (const [, place = ''] of heading.matchAll(/`(team [^`]+)`/g)) fields.set(place, keys);
  }
  return fields;
}
