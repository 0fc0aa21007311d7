// What may be copied, changed or deleted as a session: everything else on the machine is refused, and nothing hangs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeSession } from '../../../src/library/archive/remove.ts';
import { isRecognised, refuseOtherFile } from '../../../src/session/transcript/recognise.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { filesBelow } from '../../support/paths.ts';
import { refusalOf } from '../../support/refusal.ts';
import { strangers, writeStrangers } from '../../support/strangers.ts';
import { contentsOf } from '../../support/surgery-kit.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

test('no file that is not a session is loaded to be changed, or deleted', async (t) => {
  const folder = await strangersIn(t);
  const before = contentsOf(folder);
  for (const [name, pattern] of Object.entries(strangers)) {
    const file = path.join(folder, name);
    const refusals = [
      await refusalOf(loadSource(file)),
      await refusalOf(removeSession(file, { folder: path.join(folder, 'archive'), withoutArchive: true })),
    ];
    for (const refusal of refusals) {
      assert.ok(refusal !== undefined, name);
      assert.match(refusal.message, pattern);
      assert.equal(refusal.exitCode, 2, name);
    }
  }
  assert.deepEqual(contentsOf(folder), before);
});

test('a session by its content is one wherever it is, also where its first lines are damaged', async (t) => {
  const folder = temporaryFolder(t);
  const text = transcript().user('one').assistant('two').text();
  writeTree(folder, {
    'plain.jsonl': text,
    'torn.jsonl': `{"type":"user","mess\n\0\0\0${text}`,
    'bom.jsonl': `\uFEFF${text}`,
    'crlf.jsonl': text.replaceAll('\n', '\r\n'),
    'joined.jsonl': text.replaceAll('\n', ''),
    'title.jsonl': `${JSON.stringify({ type: 'custom-title', customTitle: 'x', sessionId })}\n`,
    'snapshot.jsonl': `${JSON.stringify({ type: 'file-history-snapshot', messageId: sessionId, snapshot: {} })}\n`,
  });
  for (const name of ['plain', 'torn', 'bom', 'crlf', 'joined', 'title', 'snapshot'])
    assert.equal((await loadSource(path.join(folder, `${name}.jsonl`))).session.id, name);
});

test('in a project folder of a root the name of a session is enough, elsewhere it is not', (t) => {
  const root = temporaryFolder(t);
  const name = `${sessionId}.jsonl`;
  writeTree(root, {
    [`projects/-p/${name}`]: 'junk\n',
    'projects/-p/notes.jsonl': 'junk\n',
    [`other/-p/${name}`]: 'junk',
  });
  refuseOtherFile(path.join(root, 'projects/-p', name), { roots: [root] });
  const refused = [
    [path.join(root, 'projects/-p/notes.jsonl'), [root]],
    [path.join(root, 'projects/-p', name), [path.join(root, 'another')]],
    [path.join(root, 'other/-p', name), [root]],
  ] as const;
  for (const [file, roots] of refused)
    assert.throws(() => refuseOtherFile(file, { roots }), /no line of it is a JSON record/, file);
});

test('every recording of the real client is recognised', () => {
  const files = filesBelow(path.join(corpusFolder, 'corpus/real'), '.jsonl').filter((file) =>
    /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|agent-[\w-]+)\.jsonl$/.test(path.basename(file)),
  );
  const [empty, written] = [
    files.filter((file) => statSync(file).size === 0),
    files.filter((file) => statSync(file).size > 0),
  ];
  const unknown = written.filter((file) => !isRecognised(file)).map((file) => path.relative(corpusFolder, file));
  assert.ok(written.length > 200 && empty.length === 6);
  assert.deepEqual(unknown, []);
});

async function strangersIn(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  const server = writeStrangers(folder);
  await once(server, 'listening');
  t.after(() => server.close());
  const old = new Date(Date.now() - 3_600_000);
  for (const name of contentsOf(folder).keys()) utimesSync(path.join(folder, name), old, old);
  return folder;
}
