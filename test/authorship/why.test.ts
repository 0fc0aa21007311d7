// Who wrote the lines of small repositories: each case is written by hand with its answer.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../src/library/archive/index.ts';
import { discoverSessions } from '../../src/store/index.ts';
import { WrittenRepository } from './written-repository.ts';

const start = 'const first = readFirst();\nconst second = readSecond();\nreturn;\n}\n';

test('an edit owns the lines that it adds, and not those that it repeats', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('src/a.ts', start);
  repository.commit('start');
  const session = repository.session('add a third');
  repository.edit(
    session,
    'src/a.ts',
    'const second = readSecond();',
    'const second = readSecond();\nconst third = readThird();',
  );
  session.save();
  repository.put('src/a.ts', `${repository.read('src/a.ts')}// typed by hand\n`);
  repository.commit('both');
  assert.deepEqual(await repository.authors('src/a.ts'), [
    '- | const first = readFirst();',
    '- | const second = readSecond();',
    'add a third | const third = readThird();',
    '- | return;',
    '- | }',
    '- | // typed by hand',
  ]);
});

test('a write of the whole file owns only what differs', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.commit('start');
  const session = repository.session('rewrite');
  repository.write(session, 'a.ts', start.replace('readSecond', 'readOther'), start);
  session.save();
  assert.deepEqual(await repository.authors('a.ts'), [
    '- | const first = readFirst();',
    'rewrite | const second = readOther();',
    '- | return;',
    '- | }',
  ]);
});

test('what a declined or failed call proposed and the user typed is not by an agent', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.commit('start');
  const session = repository.session('propose');
  const file = path.join(repository.folder, 'a.ts');
  repository.edit(session, 'a.ts', 'readFirst', 'readAgain');
  session.failedEdit(file, 'return;', 'const proposed = readProposed();\nreturn;', true);
  session.failedEdit(file, 'return;', 'const failed = readFailed();\nreturn;', false);
  session.save();
  const typed = 'const proposed = readProposed();\nconst failed = readFailed();\nreturn;';
  repository.put('a.ts', repository.read('a.ts').replace('return;', typed));
  repository.commit('typed');
  assert.deepEqual(
    (await repository.authors('a.ts')).filter((line) => !line.startsWith('- |')),
    ['propose | const first = readAgain();'],
  );
});

test('a line that the user changed before accepting the edit is not by an agent', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.commit('start');
  const session = repository.session('propose');
  const after = start.replace('return;', 'const kept = readKept();\nconst mine = typedByMe();\nreturn;');
  repository.put('a.ts', after);
  const file = path.join(repository.folder, 'a.ts');
  session.changedEdit(
    { file, before: start, after },
    'return;',
    'const kept = readKept();\nconst yours = readYours();\nreturn;',
  );
  session.save();
  assert.deepEqual((await repository.authors('a.ts')).slice(2, 4), [
    'propose | const kept = readKept();',
    '- | const mine = typedByMe();',
  ]);
});

test('authors stay across a rename with changes, a formatter and a move of lines', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('src/old name.ts', start);
  repository.commit('start');
  const session = repository.session('add three');
  const three = 'const alpha = readAlpha();\nconst bravo = readBravo();\nconst charlie = readCharlie();\n';
  repository.edit(session, 'src/old name.ts', 'return;\n', `${three}return;\n`);
  session.save();
  repository.commit('by the session');
  repository.git('mv', 'src/old name.ts', 'new.ts');
  repository.put('new.ts', `// typed by hand\n${repository.read('new.ts')}`);
  repository.commit('rename');
  const lines = repository.read('new.ts').split('\n');
  repository.put('new.ts', lines.map((line) => (/alpha|bravo/.test(line) ? `    ${line}` : line)).join('\n'));
  repository.commit('format');
  const moved = repository.read('new.ts').replace('const charlie = readCharlie();\n', '');
  repository.put('new.ts', `const charlie = readCharlie();\n${moved}`);
  repository.commit('move');
  const { files } = await repository.answer('new.ts');
  assert.deepEqual(
    files[0]?.lines.map(({ verdict, how, text }) => `${verdict} ${how ?? ''} ${text.trim()}`),
    [
      'agent moved const charlie = readCharlie();',
      'not-agent  // typed by hand',
      'not-agent  const first = readFirst();',
      'not-agent  const second = readSecond();',
      'agent reformatted const alpha = readAlpha();',
      'agent reformatted const bravo = readBravo();',
      'not-agent  return;',
      'not-agent  }',
    ],
  );
});

test('git revert returns lines to their author; a line that is typed again is not by an agent', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.put('b.ts', start);
  repository.commit('start');
  const session = repository.session('add it');
  for (const name of ['a.ts', 'b.ts']) repository.edit(session, name, 'return;', 'const added = readAdded();\nreturn;');
  session.save();
  repository.commit('by the session');
  const written = repository.read('b.ts');
  repository.put('a.ts', start);
  repository.put('b.ts', start);
  repository.commit('undone');
  repository.put('b.ts', written);
  repository.commit('typed again');
  repository.git('revert', '--no-edit', 'HEAD~1');
  assert.equal((await repository.authors('a.ts'))[2], 'add it | const added = readAdded();');
  assert.equal((await repository.authors('b.ts'))[2], '- | const added = readAdded();');
});

test('the same text by two sessions belongs to the one that wrote it last', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.commit('start');
  for (const prompt of ['the first time', 'the second time']) {
    const session = repository.session(prompt);
    repository.edit(session, 'a.ts', 'return;', 'const added = readAdded();\nreturn;');
    session.save();
    repository.commit(prompt);
    if (prompt === 'the first time') {
      repository.put('a.ts', start);
      repository.commit('undone');
    }
  }
  assert.equal((await repository.authors('a.ts'))[2], 'the second time | const added = readAdded();');
});

test('equal lines next to each other, one by hand, are given to nobody', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.commit('start');
  const session = repository.session('add it');
  repository.edit(session, 'a.ts', 'return;', 'const added = readAdded();\nreturn;');
  session.save();
  repository.commit('by the session');
  repository.put('a.ts', repository.read('a.ts').replace('const added', 'const added = readAdded();\nconst added'));
  repository.commit('copied by hand');
  assert.deepEqual((await repository.authors('a.ts')).slice(2, 4), [
    '? equal-lines | const added = readAdded();',
    '? equal-lines | const added = readAdded();',
  ]);
});

test('a sub-agent, a here-document, sed and a worktree that is gone by now', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('src/a.ts', start);
  repository.commit('start');
  const checkout = path.join(repository.base, 'other');
  repository.git('worktree', 'add', '-q', '-b', 'other', checkout);
  const inWorktree = repository.session('in a worktree', checkout);
  repository.edit(inWorktree, 'src/a.ts', 'return;', 'const tree = readTree();\nreturn;', checkout);
  inWorktree.save();
  repository.git('-C', checkout, 'commit', '-qam', 'tree');
  repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'other');
  repository.git('worktree', 'remove', '--force', checkout);
  const session = repository.session('shell and agent');
  const agentId = session.agent('sub-task');
  const before = repository.read('src/a.ts');
  const after = before.replace('readFirst', 'readByAgent');
  repository.put('src/a.ts', after);
  session.edit({ file: path.join(repository.folder, 'src/a.ts'), before, after }, 'readFirst', 'readByAgent', {
    agentId,
  });
  session.bash("sed -i 's/readSecond/readBySed/' src/a.ts && cat >> src/a.ts <<'EOF'\nconst end = readEnd();\nEOF");
  repository.put('src/a.ts', `${after.replace('readSecond', 'readBySed')}const end = readEnd();\n`);
  session.save();
  repository.commit('all');
  assert.deepEqual(await repository.authors('src/a.ts'), [
    'shell and agent | const first = readByAgent();',
    'shell and agent | const second = readBySed();',
    'in a worktree | const tree = readTree();',
    '- | return;',
    '- | }',
    'shell and agent | const end = readEnd();',
  ]);
});

test('a command whose effect is not known makes lines unknown, and names of other folders do not', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.put('packages/a.ts', start);
  repository.commit('start');
  const session = repository.session('copy');
  session.bash('cp /elsewhere/a.ts a.ts');
  repository.edit(session, 'packages/a.ts', 'return;', 'const inPackage = readPackage();\nreturn;');
  session.save();
  const text = start.replace('return;', 'const inPackage = readPackage();\nreturn;');
  repository.put('a.ts', text);
  repository.commit('copied');
  assert.equal((await repository.authors('a.ts'))[2], '? command | const inPackage = readPackage();');
});

test('without git the calls answer for their lines, and the rest is unknown', async (context) => {
  const repository = new WrittenRepository(context, { hasGit: false });
  repository.put('a.ts', start);
  const session = repository.session('add it');
  repository.edit(session, 'a.ts', 'return;', 'const added = readAdded();\nreturn;');
  session.save();
  assert.deepEqual((await repository.authors('a.ts')).slice(1, 4), [
    '? history | const second = readSecond();',
    'add it | const added = readAdded();',
    '? history | return;',
  ]);
});

test('only transcripts that wrote to the file are read', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.put('b.ts', start);
  repository.commit('start');
  for (const name of ['a.ts', 'b.ts', 'b.ts', 'b.ts']) {
    const session = repository.session(`edit ${name}`);
    repository.edit(session, name, 'return;', `const more = read${Math.random()};\nreturn;`);
    session.save();
  }
  assert.equal((await repository.answer('a.ts')).transcripts, 1);
  assert.equal((await repository.answer('b.ts')).transcripts, 3);
});

test('a session that is only in the archive still answers', async (context) => {
  const repository = new WrittenRepository(context);
  repository.put('a.ts', start);
  repository.commit('start');
  const session = repository.session('archived work');
  repository.edit(session, 'a.ts', 'return;', 'const added = readAdded();\nreturn;');
  session.save();
  repository.commit('by the session');
  const folder = path.join(repository.base, 'archive');
  const { sessions } = await discoverSessions([repository.root]);
  await archiveSessions(sessions, { folder });
  rmSync(path.join(repository.root, 'projects'), { recursive: true });
  assert.equal((await repository.authors('a.ts'))[2], '- | const added = readAdded();');
  assert.equal((await repository.authors('a.ts', folder))[2], 'archived work | const added = readAdded();');
});

test('a commit that names an agent without a recorded session is unknown; one by a recorded session is not', async (context) => {
  const repository = new WrittenRepository(context);
  const trailer = 'Co-Authored-By: Claude <noreply@anthropic.com>';
  repository.put('a.ts', 'const gone = readGone();\n');
  repository.commit(`by a session that is gone\n\n${trailer}`);
  repository.put('a.ts', 'const gone = readGone();\nconst typed = typedByHand();\n');
  repository.commit(`committed by a session\n\n${trailer}`);
  const session = repository.session('commit it');
  const hash = repository.git('rev-parse', '--short', 'HEAD').trim();
  session.bash('git commit -am "committed by a session"', `[main ${hash}] committed by a session`);
  session.save();
  assert.deepEqual(await repository.authors('a.ts'), [
    '? missing-session | const gone = readGone();',
    '- | const typed = typedByHand();',
  ]);
});
