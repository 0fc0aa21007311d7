import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { limits } from '../../../../src/agent/tools/shared/limits.ts';
import { makeWorkspace } from '../../../../src/agent/tools/shell/background.ts';
import { startShell } from '../../../../src/agent/tools/shell/shell.ts';
import { isAlive } from '../../../support/processes.ts';
import { temporaryFolder, writeTree } from '../../../support/temp-folder.ts';
import { tinyImage } from '../../../support/tiny-images.ts';
import { waitFor } from '../../../support/wait.ts';
import { makeBench, setLimit, storedOf } from '../tool-kit.ts';

test('Bash shows both outputs in their order and stores them as Claude Code does', async (t) => {
  const bench = makeBench(t, { 'src/a.js': '' });
  assert.deepEqual(await bench.call('Bash', { command: 'echo out; echo err >&2; ls src', description: 'List' }), {
    content: 'out\nerr\na.js',
    isError: false,
    isSandboxed: false,
    stored: {
      stdout: 'out\nerr\na.js',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
  });
});

test('Bash shows the exit code of a failed command', async (t) => {
  const bench = makeBench(t);
  assert.equal(await bench.refusal('Bash', { command: 'echo before; exit 3' }), 'Exit code 3\nbefore');
  assert.match(await bench.refusal('Bash', { command: 'echo "open' }), /^Exit code 2\n.*unexpected EOF/);
  assert.equal(await bench.refusal('Bash', { command: 'kill -SEGV $$' }), 'Exit code 139');
});

test('Bash knows exit codes that are not failures', async (t) => {
  const bench = makeBench(t, { a: 'x\n', b: 'y\n' });
  assert.deepEqual(storedOf(await bench.call('Bash', { command: 'cat a | grep zzz' })), {
    stdout: '',
    stderr: '',
    interrupted: false,
    isImage: false,
    returnCodeInterpretation: 'No matches found',
    noOutputExpected: false,
  });
  assert.match(await bench.text('Bash', { command: 'cd . && diff a b' }), /< x\n---\n> y/);
  assert.match(await bench.refusal('Bash', { command: 'grep zzz a; false' }), /^Exit code 1/);
});

test('Bash keeps the working directory, and returns to the project if it was removed', async (t) => {
  const bench = makeBench(t);
  mkdirSync(bench.file('with space'));
  await bench.text('Bash', { command: 'cd "with space"' });
  assert.equal(await bench.text('Bash', { command: 'pwd' }), bench.file('with space'));
  assert.equal(await bench.text('Bash', { command: 'cd /usr; pwd' }), `/usr\nShell cwd was reset to ${bench.folder}`);
  assert.equal(bench.workspace.cwd, bench.folder);
  await bench.text('Bash', { command: `cd '${bench.file('with space')}'; (cd /); bash -c 'cd /'` });
  rmSync(bench.file('with space'), { recursive: true });
  const gone = `The working directory ${bench.file('with space')} is gone: this ran in ${bench.folder}`;
  assert.equal(await bench.text('Bash', { command: 'pwd' }), `${bench.folder}\n${gone}`);
  assert.equal(await bench.text('Bash', { command: 'pwd' }), bench.folder);
});

test('a shell that left the project is reset also after a failure, which says so', async (t) => {
  const bench = makeBench(t, { 'src/a.js': '' });
  await bench.text('Bash', { command: 'cd src' });
  const outcome = await bench.call('Bash', { command: 'cd /usr; exit 1' });
  assert.equal(outcome.content, `Exit code 1\nShell cwd was reset to ${bench.folder}`);
  assert.equal(bench.workspace.cwd, bench.folder);
  symlinkSync('/usr', bench.file('away'));
  await bench.text('Bash', { command: 'cd away' });
  assert.equal(bench.workspace.cwd, bench.folder);
});

test('with a fixed working directory, as in a sub-agent, cd holds for one command', async (t) => {
  const { folder } = makeBench(t, { 'src/a.js': '' });
  const options = { projectDir: folder, sessionDir: `${folder}/../s`, env: process.env, isCwdFixed: true };
  const workspace = makeWorkspace(options);
  t.after(() => workspace.background.close());
  const bench = makeBench(t);
  assert.equal(await bench.text('Bash', { command: 'cd src && pwd' }, { workspace }), `${folder}/src`);
  assert.equal(await bench.text('Bash', { command: 'pwd' }, { workspace }), folder);
  assert.equal(await bench.text('Bash', { command: 'cd /usr && pwd' }, { workspace }), '/usr');
});

test('a command that prints a data URL shows a picture', async (t) => {
  const png = tinyImage('png', 8, 8).toString('base64');
  const bench = makeBench(t, { url: `data:image/png;base64,${png}\n`, bad: 'data:image/png;base64,no\n' });
  const outcome = await bench.call('Bash', { command: 'cat url' });
  assert.deepEqual(outcome.content, [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  ]);
  assert.equal(storedOf(outcome).isImage, true);
  assert.equal(await bench.text('Bash', { command: 'cat bad' }), 'data:image/png;base64,no');
});

test('Bash gives a command no input and leaves its descriptors, jobs and variables alone', async (t) => {
  const bench = makeBench(t);
  const command = [
    'cat; read line || echo no input',
    'echo to-stderr > /dev/stderr; echo to-stdout > /dev/stdout',
    'exec 3>three 4>four 5>five; echo 3 >&3; echo 4 >&4; exec 3>&- 4>&- 5>&-; cat three four',
    'jobs; (sleep 0.05; echo job) & wait; echo waited',
    'echo "[$#$CLEW_COMMAND]"',
    "cat <<'END'",
    "$HOME `x` 'quoted'",
    'END',
  ].join('\n');
  assert.equal(
    await bench.text('Bash', { command }),
    ['no input', 'to-stderr', 'to-stdout', '3', '4', 'job', 'waited', '[0]', "$HOME `x` 'quoted'"].join('\n'),
  );
});

test('Bash runs a command that is too long for an argument', async (t) => {
  const bench = makeBench(t);
  assert.equal(await bench.text('Bash', { command: `: ${'x'.repeat(150_000)}\necho ran` }), 'ran');
});

test('Bash keeps a long output whole in a file, and shows both ends of it', async (t) => {
  const bench = makeBench(t);
  const outcome = await bench.call('Bash', { command: 'seq 1 60000' });
  const whole = `${Array.from({ length: 60_000 }, (_, i) => i + 1).join('\n')}\n`;
  const file = path.join(bench.sessionDir, 'tool-results', 'toolu_1.txt');
  const { stdout, ...rest } = storedOf(outcome);
  assert.deepEqual(rest, {
    stderr: '',
    interrupted: false,
    isImage: false,
    noOutputExpected: false,
    persistedOutputPath: file,
    persistedOutputSize: 348_894,
  });
  assert.equal(stdout, whole.slice(0, limits.bash.outputChars).trimEnd());
  assert.equal(readFileSync(file, 'utf8'), whole);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = String(outcome.content);
  assert.ok(
    text.startsWith(`<persisted-output>\nOutput too large (340.7KB). Full output saved to: ${file}\n\nPreview`),
  );
  assert.match(text, /\n1\n2\n3\n[\s\S]*\n59999\n60000\n\nUse Read with offset[^\n]*\n<\/persisted-output>$/);
  assert.ok(text.length < 12_000);
});

test('a failing command with a long output names the file with the output', async (t) => {
  const bench = makeBench(t);
  const text = await bench.refusal('Bash', { command: 'seq 1 20000; exit 9' });
  assert.match(text, /^Exit code 9\n<persisted-output>\n/);
  assert.ok(existsSync(path.join(bench.sessionDir, 'tool-results', 'toolu_1.txt')));
});

test('a short output leaves no file, and a call id cannot choose another folder', async (t) => {
  const bench = makeBench(t);
  await bench.text('Bash', { command: 'echo short' });
  assert.equal(existsSync(bench.sessionDir), false);
  const outcome = await bench.call('Bash', { command: 'seq 1 20000' }, { callId: '../../../evil' });
  assert.equal(storedOf(outcome).persistedOutputPath, path.join(bench.sessionDir, 'tool-results', '_________evil.txt'));
});

test('invalid bytes become well-formed text; control sequences stay', async (t) => {
  const bench = makeBench(t);
  assert.equal(
    await bench.text('Bash', { command: String.raw`printf 'a\0b\377c\033[31mred\033[0m \360\237\230\200 \360\237'` }),
    'a\ufffdb\ufffdc\x1b[31mred\x1b[0m 😀',
  );
});

test('output of a character split over two writes stays whole', async (t) => {
  const bench = makeBench(t);
  const command = String.raw`printf '\360\237'; sleep 0.1; printf '\230\200'`;
  assert.equal(await bench.text('Bash', { command }), '😀');
});

test('Bash reports progress while a command runs', async (t) => {
  const bench = makeBench(t);
  await bench.text('Bash', { command: 'echo first; sleep 0.3; echo second; sleep 0.3' });
  const [first, ...rest] = bench.progress.map((update) => (update.kind === 'output' ? update.text : ''));
  assert.equal(first, 'first\n');
  assert.deepEqual(rest.slice(-1), ['first\nsecond\n']);
});

test('no .bashrc is read, although bash assumes a remote shell if SHLVL is not set', async (t) => {
  const home = temporaryFolder(t);
  writeTree(home, { '.bashrc': 'echo from .bashrc' });
  const { SHLVL: _, ...env } = process.env;
  const pieces: Buffer[] = [];
  const shell = startShell('echo from the command', {
    cwd: home,
    launch: { prefix: [], env: { ...env, HOME: home } },
    onOutput: (bytes) => pieces.push(bytes),
  });
  await shell.exited;
  assert.equal(Buffer.concat(pieces).toString(), 'from the command\n');
});

test('an interrupt ends even a command that ignores SIGTERM, and its output is kept', async (t) => {
  setLimit(t, limits.bash, 'killGraceMs', 300);
  const bench = makeBench(t);
  const controller = new AbortController();
  const call = bench.refusal(
    'Bash',
    { command: "trap '' TERM; echo $$; while :; do sleep 0.2; done" },
    { signal: controller.signal },
  );
  await waitFor(() => bench.progress.length > 0);
  controller.abort();
  const text = await call;
  assert.match(text, /^Exit code 137\n\[Request interrupted by user for tool use\]\n\d+$/);
  assert.equal(isAlive(Number(text.split('\n')[2])), false);
});

test('a call that is interrupted before it begins starts nothing', async (t) => {
  const bench = makeBench(t);
  const signal = AbortSignal.abort();
  assert.match(await bench.refusal('Bash', { command: 'touch made' }, { signal }), /interrupted/);
  assert.equal(existsSync(bench.file('made')), false);
});

test('background processes do not block the call, and end with the session', async (t) => {
  const bench = makeBench(t);
  const text = await bench.text('Bash', { command: 'sleep 1000 & echo $!' });
  const pid = Number(text);
  assert.ok(isAlive(pid));
  assert.equal(await bench.text('Bash', { command: `kill -0 ${pid} && echo still there` }), 'still there');
  await bench.workspace.background.close();
  await waitFor(() => !isAlive(pid));
});

test('a background command is started, looked at and killed', async (t) => {
  const bench = makeBench(t);
  const outcome = await bench.call('Bash', { command: 'echo begun; sleep 1000', run_in_background: true });
  const id = String(storedOf(outcome).backgroundTaskId);
  const [task] = bench.workspace.background.all;
  assert.ok(task);
  assert.deepEqual(outcome, {
    content: `Command running in background with ID: ${id}. Output is being written to: ${task.outputFile}. You will be notified when it completes. To check interim output, use BashOutput or Read on that file path; KillShell ends it.`,
    isError: false,
    stored: {
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      backgroundTaskId: id,
    },
  });
  await waitFor(() => readFileSync(task.outputFile, 'utf8') === 'begun\n');
  const seen = await bench.call('BashOutput', { bash_id: id });
  const { timestamp, ...stored } = storedOf(seen);
  assert.deepEqual(stored, {
    shellId: id,
    command: 'echo begun; sleep 1000',
    status: 'running',
    exitCode: null,
    stdout: 'begun',
    stderr: '',
    stdoutLines: 1,
    stderrLines: 0,
  });
  assert.equal(
    seen.content,
    `<status>running</status>\n\n<stdout>\nbegun\n</stdout>\n\n<timestamp>${timestamp}</timestamp>`,
  );
  assert.equal(storedOf(await bench.call('BashOutput', { bash_id: id })).stdout, '');
  const message = `Successfully killed shell: ${id} (echo begun; sleep 1000)`;
  assert.deepEqual(await bench.call('KillShell', { shell_id: id }), {
    content: JSON.stringify({ message, shell_id: id }),
    isError: false,
    stored: { message, shell_id: id },
  });
  assert.equal(task.state, 'killed');
  assert.match(await bench.refusal('KillShell', { shell_id: id }), /is not running.*status: killed/);
  assert.match(await bench.refusal('BashOutput', { bash_id: 'nope' }), new RegExp(`No task found.*There are: ${id}`));
});

test('a background command that ends reports its exit code', async (t) => {
  const bench = makeBench(t);
  const start = async (command: string) => {
    const id = String(storedOf(await bench.call('Bash', { command, run_in_background: true })).backgroundTaskId);
    await waitFor(() => bench.workspace.background.find(id)?.state !== 'running');
    return storedOf(await bench.call('BashOutput', { bash_id: id, filter: '^k' }));
  };
  const failed = await start('echo kept; echo dropped; echo keeper; exit 4');
  assert.deepEqual([failed.status, failed.exitCode, failed.stdout], ['failed', 4, 'kept\nkeeper']);
  const completed = await start('true');
  assert.deepEqual([completed.status, completed.exitCode], ['completed', 0]);
});

test('TaskStop ends a background command by either name of its id', async (t) => {
  const bench = makeBench(t);
  for (const key of ['task_id', 'shell_id']) {
    const outcome = await bench.call('Bash', { command: 'sleep 1000', run_in_background: true });
    const id = String(storedOf(outcome).backgroundTaskId);
    const message = `Successfully stopped task: ${id} (sleep 1000)`;
    assert.deepEqual(storedOf(await bench.call('TaskStop', { [key]: id })), {
      message,
      task_id: id,
      command: 'sleep 1000',
    });
  }
  assert.match(await bench.refusal('TaskStop', {}), /needs task_id/);
});

test('a filter that never ends is stopped', async (t) => {
  setLimit(t, limits.bash, 'filterMs', 50);
  const bench = makeBench(t);
  const outcome = await bench.call('Bash', { command: `echo ${'a'.repeat(5000)}b`, run_in_background: true });
  const bash_id = String(storedOf(outcome).backgroundTaskId);
  await waitFor(() => bench.workspace.background.find(bash_id)?.state !== 'running');
  assert.match(await bench.refusal('BashOutput', { bash_id, filter: '[' }), /not a valid regular expression/);
  assert.match(await bench.refusal('BashOutput', { bash_id, filter: '^(a+)+$' }), /takes too long/);
});

test('unread output does not grow without bound', async (t) => {
  const bench = makeBench(t);
  const outcome = await bench.call('Bash', { command: 'seq 1 50000', run_in_background: true });
  const bash_id = String(storedOf(outcome).backgroundTaskId);
  await waitFor(() => bench.workspace.background.find(bash_id)?.state === 'completed');
  const { stdout } = storedOf(await bench.call('BashOutput', { bash_id }));
  assert.match(String(stdout), /^\(\d+ characters before this are only in [^\n]*\)\n[\s\S]*\n50000$/);
  assert.ok(String(stdout).length < limits.bash.outputChars + 500);
});
