// `clew chat` as a whole: the built program in a real terminal, the real agent, a scripted model, and the session that
// is on the disk afterwards.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { MessagesServer } from '../../../src/api/server/messages-server.ts';
import { asObject, isArray, type JsonValue } from '../../../src/base/json/json.ts';
import { diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { messagesOf, turnsOf } from '../../../src/session/turns/turns.ts';
import { bash, startChat, text } from '../../support/chat-run.ts';
import { runClew } from '../../support/clew.ts';
import { isAlive } from '../../support/processes.ts';
import { command, skipWithout } from '../../support/terminal.ts';
import { waitFor } from '../../support/wait.ts';

const skip = skipWithout('tmux');

/** The roles of its messages. */
async function outline(file: string): Promise<readonly string[]> {
  const session = await loadSession(file);
  return turnsOf(session).flatMap((turn) => messagesOf(turn).map((message) => message.role));
}

function sentMessages(server: MessagesServer): readonly JsonValue[] {
  const bodies = server.requests.flatMap(({ path: at, body }) => (at === '/v1/messages' ? [asObject(body)] : []));
  const messages = bodies.at(-1)?.messages;
  return isArray(messages) ? messages : [];
}

test('without a terminal it points to clew -p, in one line', () => {
  assert.deepEqual(runClew(['chat', 'hello']), {
    status: 2,
    stdout: '',
    stderr: 'clew: chat needs a terminal; in a pipe or a script use `clew -p PROMPT`\n',
  });
});

test(
  'a turn with a tool is asked for, shown, written, and gone on with by --continue, with a picture',
  { skip },
  async (context) => {
    const script = [bash('echo shining > lit; cat lit lamp.ts'), text('It **shines**.'), text('Still shining.')];
    const { terminal, server, folder, sessionFile } = await startChat(context, script);
    terminal.type('light the lamp', 'Enter');
    await terminal.screen(/^ Allow Bash\?\n {3}echo shining > lit; cat lit lamp.ts/m);
    terminal.type('1');
    const shown = await terminal.screen(/^● It shines\.$[\s\S]*^› ask for/m);
    assert.match(
      shown,
      /^› light the lamp\n\n● I run it\.\n\n✓ Bash echo shining > lit; cat lit lamp.ts {2}2 lines\n\n● It shines\./m,
    );
    terminal.type('C-d');
    await terminal.screen(/^resume with: clew chat --resume [0-9a-f-]{36}\nexit 0$/m);
    const file = sessionFile();
    assert.deepEqual((await diagnoseSession(await loadSession(file))).findings, []);
    terminal.type(`clear; ${command('chat --continue')}; echo "exit $?"`, 'Enter');
    await terminal.screen(/resuming [0-9a-f-]{36}, 4 messages so far\n\n─/);
    // As a terminal pastes a file that is dropped on it.
    terminal.paste(`'${folder}/project/lamp.png' `);
    await terminal.screen(/^› @lamp\.png\s*$/m);
    terminal.type('and now, as this shows?', 'Enter');
    await terminal.screen(/^● Still shining\.$[\s\S]*^› ask for/m);
    assert.deepEqual(
      sentMessages(server).map((message) => asObject(message)?.role),
      ['user', 'assistant', 'user', 'assistant', 'user'],
    );
    assert.match(
      JSON.stringify(sentMessages(server).at(-1)),
      /"type":"image","source":\{"type":"base64","media_type":"image\/png"/,
    );
    terminal.type('/exit', 'Enter');
    await terminal.screen(/^exit 0$/m);
    assert.equal(sessionFile(), file);
    // Where the agent runs, and the picture, are lines of their own.
    const [first, second] = [
      ['user', 'user', 'assistant', 'user', 'assistant'],
      ['user', 'user', 'assistant'],
    ];
    assert.deepEqual(await outline(file), [...first, ...second]);
  },
);

test('Esc stops a tool that runs, and the session continues', { skip }, async (context) => {
  const { terminal, server } = await startChat(
    context,
    [bash('echo $$ > ../child; sleep 600'), text('Stopped, I see.')],
    '--allowedTools "Bash(*)"',
  );
  terminal.type('wait', 'Enter');
  await terminal.screen(/▸ Bash echo|Allow Bash/);
  terminal.type('1');
  await terminal.screen(/Running a tool/);
  terminal.type('Escape');
  await terminal.screen(/^! interrupted/m);
  terminal.type('C-u', 'why?', 'Enter');
  await terminal.screen(/^● Stopped, I see\.$/m);
  assert.equal(sentMessages(server).length, 3);
});

test(
  'a terminal that is closed in the middle of a tool leaves a whole session and no process',
  { skip },
  async (context) => {
    const { terminal, folder, sessionFile } = await startChat(context, [bash('echo $$ > ../child; sleep 600')]);
    terminal.type('wait', 'Enter');
    await terminal.screen(/Allow Bash/);
    terminal.type('1');
    await terminal.screen(/Running a tool/);
    const child = await waitFor(() => pidIn(path.join(folder, 'child')));
    const program = pidIn(path.join(folder, 'pid'));
    terminal.close();
    await waitFor(() => program !== undefined && !isAlive(program) && !isAlive(child));
    const { findings } = await diagnoseSession(await loadSession(sessionFile()));
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'info'),
      [],
    );
  },
);

function pidIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

test(
  'the end of a command in the background starts a turn, a prompt reaches the running turn, and /effort changes the request',
  { skip },
  async (context) => {
    const background = { command: 'sleep 2', run_in_background: true };
    const script = [
      { blocks: [{ type: 'tool_use', name: 'Bash', input: background }] },
      text('It runs.'),
      text('The lamp is lit.'),
      bash('sleep 3'),
      text('I hurry.'),
      text('With care.'),
    ];
    const { terminal, server } = await startChat(context, script, "--allowedTools 'Bash(sleep:*)'");
    terminal.type('light it later', 'Enter');
    await terminal.screen(/^● It runs\.$/m);
    // Nobody types anything.
    await terminal.screen(/^● The lamp is lit\.$[\s\S]*^› ask for/m);
    assert.match(JSON.stringify(sentMessages(server).at(-1)), /<task-notification>[\s\S]*<status>completed/);
    terminal.type('now wait', 'Enter');
    await terminal.screen(/sleep 3[\s\S]*^› /m);
    terminal.type('and hurry', 'Enter');
    await terminal.screen(/^› and hurry$[\s\S]*^● I hurry\.$/m);
    const sent = JSON.stringify(sentMessages(server).at(-1));
    assert.ok(sent.includes('tool_result') && sent.includes('and hurry'), sent);
    const before = server.requests.length;
    terminal.type('/effort high', 'Enter');
    await terminal.screen(/^› \/effort high$[\s\S]*high effort/m);
    assert.equal(server.requests.length, before);
    terminal.type('carefully', 'Enter');
    await terminal.screen(/^● With care\.$[\s\S]*^› ask for/m);
    assert.match(JSON.stringify(server.requests.at(-1)?.body), /"effort":"high"/);
  },
);
