// docs/json.md and the real output tell of the same fields: of every object, all keys, no more and no fewer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isArray, isObject, type JsonValue } from '../../src/base/json.ts';
import { jsonOf } from '../support/clew.ts';
import { projectRoot } from '../support/paths.ts';
import { sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { recordings } from '../support/transcripts.ts';

/** Objects whose keys are data. */
const open: ReadonlySet<string> = new Set(['show.entries.byType', 'show --full.entries.byType']);

test('every object that is printed has exactly the fields that the page lists for it', (context) => {
  const documented = documentedFields();
  const printed = new Map<string, Set<string>>();
  const folder = temporaryFolder(context);
  writeTree(folder, { 'damaged.jsonl': `${sessionText([user('go')])}not json\n` });
  const sessions = [
    path.join(folder, 'damaged.jsonl'),
    path.join(recordings, 'real/2.1.45/agent/-home-dev-widgets/497273d2-eb43-4a22-a38d-e8481a13dd2e.jsonl'),
    path.join(recordings, 'real/2.1.150/compact/-home-dev-widgets/a07eca6d-a4f7-4a12-9bab-83c2627b91db.jsonl'),
  ];
  collect('ls', jsonOf(['ls', '--json', '--demo']), printed);
  const env = { CLEW_HOME: path.join(folder, 'state') };
  collect('find', jsonOf(['find', 'slug*', '--json', '--demo'], { env }), printed);
  collect('index', jsonOf(['index', '--json', '--demo'], { env }), printed);
  for (const session of sessions) {
    collect('show', jsonOf(['show', '--json', session]), printed);
    collect('show --full', jsonOf(['show', '--json', '--full', session]), printed);
    collect('messages', jsonOf(['messages', session]), printed);
  }
  for (const [place, keys] of printed) {
    // With --full only the messages differ.
    const known = documented.get(place) ?? documented.get(place.replace('show --full', 'show'));
    assert.deepEqual([place, [...keys]], [place, known === undefined ? [] : [known]]);
  }
  assert.deepEqual(
    [...documented.keys()].filter((place) => !printed.has(place)),
    [],
  );
});

test('the page lists the exit codes of the program', () => {
  const codes = [...page().matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(codes, [0, 1, 2, 3, 70]);
});

function page(): string {
  return readFileSync(path.join(projectRoot, 'docs/json.md'), 'utf8');
}

/** From each heading of a shape, ``### `ls[]` ``, its fields in their order. */
function documentedFields(): Map<string, string> {
  const fields = new Map<string, string>();
  for (const section of page().split(/^### /m).slice(1)) {
    const [heading = ''] = section.split('\n');
    const keys = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key).join(' ');
    for (const [, place = ''] of heading.matchAll(/`([^`]+)`/g)) fields.set(place, keys);
  }
  return fields;
}

/** The different lists of keys that the objects of each place have. */
function collect(place: string, value: JsonValue, into: Map<string, Set<string>>): void {
  if (isArray(value)) for (const item of value) collect(`${place}[]`, item, into);
  else if (isObject(value) && !open.has(place)) {
    into.set(place, (into.get(place) ?? new Set()).add(Object.keys(value).join(' ')));
    // Blocks are the API's.
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'content' && inner !== undefined) collect(`${place}.${key}`, inner, into);
    }
  }
}
