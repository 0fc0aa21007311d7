// The page over everything we have: each call is shown once, every place that a view names leads to what it names, and
// the view survives the way to the browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { sessionHead } from '../../../src/export/page/head.ts';
import { partsOf } from '../../../src/export/page/parts.ts';
import { imageAt, textAt } from '../../../src/export/page/text.ts';
import { turnViews } from '../../../src/export/page/turn-view.ts';
import type { Ref, TurnView } from '../../../src/export/wire/view.ts';
import { loadSession, type Session } from '../../../src/session/load/session.ts';
import { toolCallsOf } from '../../../src/session/turns/tool-calls.ts';
import { turnsOf } from '../../../src/session/turns/turns.ts';
import { corpusFiles, recordedFiles } from '../../support/transcripts.ts';

const files = [...recordedFiles(), ...corpusFiles()];

test('every tool call of every branch is shown exactly once', async () => {
  let calls = 0;
  await eachBranch((session, branch, views) => {
    const shown = views.flatMap((view) => view.items.flatMap((item) => (item.kind === 'call' ? [item.id] : [])));
    const expected = turnsOf(session, session.branches[branch - 1]).flatMap((turn) =>
      toolCallsOf(session, turn).map((call) => call.id.slice(0, 100)),
    );
    assert.deepEqual([...shown].sort(), [...expected].sort(), `${session.files.main} branch ${branch}`);
    calls += shown.length;
  });
  assert.ok(calls > 0, `no calls in ${files.length} files`);
});

test('every text that is cut and every image can be asked for, and the views are plain JSON', async () => {
  const seen = { texts: 0, images: 0 };
  await eachBranch((session, branch, views) => {
    assert.deepEqual(JSON.parse(JSON.stringify(views)), views);
    const head = sessionHead(session, { branch });
    assert.deepEqual(JSON.parse(JSON.stringify(head)), head);
    for (const { ref, text } of refsIn(views)) {
      if (text === undefined) {
        assert.ok(imageAt(session, ref) !== undefined, `${session.files.main} ${JSON.stringify(ref)}`);
        seen.images++;
      } else {
        const whole = textAt(session, ref);
        assert.ok(whole !== undefined && whole.length >= text.length, `${session.files.main} ${JSON.stringify(ref)}`);
        seen.texts++;
      }
    }
  });
  assert.ok(seen.texts > 0 && seen.images > 0, JSON.stringify(seen));
});

test('the rows of the outline cover the parts of a branch without a gap', async () => {
  for (const file of files) {
    const session = await loadSession(file);
    for (const [i, branch] of session.branches.entries()) {
      const { turns, parts } = sessionHead(session, { branch: i + 1 });
      const covered = turns.flatMap((row) => row.partLines.map((_, at) => row.firstPart + at));
      assert.deepEqual(
        covered,
        partsOf(session, branch).all.map((part) => part.index),
        file,
      );
      assert.equal(parts, covered.length);
    }
  }
});

async function eachBranch(look: (session: Session, branch: number, views: readonly TurnView[]) => void): Promise<void> {
  for (const file of files) {
    const session = await loadSession(file);
    for (let branch = 1; branch <= session.branches.length; branch++) {
      look(session, branch, turnViews(session, { branch, from: 0, to: Number.MAX_SAFE_INTEGER }));
    }
  }
}

interface FoundRef {
  readonly ref: Ref;
  /** Of a cut text its beginning; `undefined` for an image. */
  readonly text: string | undefined;
}

function* refsIn(value: unknown): Generator<FoundRef> {
  if (Array.isArray(value)) for (const each of value) yield* refsIn(each);
  else if (isObject(value)) {
    if (isRef(value.at)) yield { ref: value.at, text: 'mediaType' in value ? undefined : String(value.text ?? '') };
    for (const each of Object.values(value)) yield* refsIn(each);
  }
}

function isRef(value: unknown): value is Ref & JsonObject {
  return isObject(value) && typeof value.pointer === 'string';
}
