// The title of the window and the notifications: which codes are written, and that no text can add its own.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { Attention, plainTitle } from '../../../src/cli/console/attention.ts';
import { makeDialog } from '../../../src/cli/console/dialog/dialog.ts';
import { ConsoleStore, initialConsole } from '../../../src/cli/console/screen/console-state.ts';
import { emptyView } from '../../../src/cli/console/transcript/view-state.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

interface Watched {
  readonly store: ConsoleStore;
  readonly attention: Attention;
  /** What was written since the last call. */
  take(): string;
}

function watch(context: TestContext, env: Readonly<Record<string, string>> = {}): Watched {
  const store = new ConsoleStore(initialConsole);
  let written = '';
  const write = (codes: string): void => {
    written += codes;
  };
  const attention = new Attention({ store, env, cwd: '/work/lamp', write });
  context.after(() => attention.close());
  return {
    store,
    attention,
    take: () => {
      store.flush();
      const taken = written;
      written = '';
      return taken;
    },
  };
}

const question = makeDialog({ title: 'Allow Bash?', choices: [{ label: 'Yes' }] });

test('the title is saved, follows the session and its state, and is restored', (context) => {
  const { store, attention, take } = watch(context);
  assert.equal(take(), '\x1b[22;0t\x1b]0;lamp · clew\x07');
  const view = {
    ...emptyView,
    busySinceMs: Date.now(),
    finished: [{ kind: 'prompt', text: 'light\nthe lamp' }],
  } as const;
  store.update({ view });
  assert.equal(take(), '\x1b]0;… light the lamp · clew\x07');
  store.update({ view: { ...view, busySinceMs: undefined } });
  assert.equal(take(), '\x1b]0;light the lamp · clew\x07');
  store.update({});
  assert.equal(take(), '');
  attention.close();
  assert.equal(take(), '\x1b]0;\x07\x1b[23;0t');
});

test('a question rings once, a turn only if it was long, and nothing rings while the window has the focus', (context) => {
  const { store, attention, take } = watch(context, { CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1' });
  take();
  store.update({ dialog: question });
  store.flush();
  store.update({ dialog: question });
  assert.equal(take(), '\x07');
  store.update({ dialog: undefined });
  assert.equal(take(), '');
  const turn = (busyMs: number): string => {
    store.update({ view: { ...emptyView, busySinceMs: Date.now() - busyMs } });
    take();
    store.update({ view: emptyView });
    return take();
  };
  assert.deepEqual([turn(2000), turn(20_000)], ['', '\x07']);
  attention.setFocus(true);
  store.update({ dialog: question });
  assert.deepEqual([take(), turn(20_000)], ['', '']);
  attention.setFocus(false);
  assert.equal(turn(20_000), '\x07');
});

test('each terminal is notified in its own way, and the setting of the client decides', async (context) => {
  const root = temporaryFolder(context);
  mkdirSync(root, { recursive: true });
  const ask = async (env: Readonly<Record<string, string>>, setting?: string): Promise<string> => {
    const { store, attention, take } = watch(context, { ...env, CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1' });
    if (setting !== undefined) {
      writeFileSync(path.join(root, 'settings.json'), JSON.stringify({ preferredNotifChannel: setting }));
      await attention.readSettings(root);
    }
    take();
    store.update({ dialog: question });
    return take();
  };
  assert.deepEqual(
    [
      await ask({}),
      await ask({ TERM_PROGRAM: 'iTerm.app' }),
      await ask({ TERM: 'xterm-kitty' }),
      await ask({ TERM_PROGRAM: 'ghostty' }),
      await ask({ TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/x' }),
      await ask({ TERM_PROGRAM: 'iTerm.app' }, 'terminal_bell'),
      await ask({}, 'iterm2'),
      await ask({}, 'notifications_disabled'),
      await ask({}, 'auto'),
    ],
    [
      '\x07',
      '\x1b]9;clew: Allow Bash?\x07',
      '\x1b]99;;clew: Allow Bash?\x1b\\',
      '\x1b]777;notify;clew;clew: Allow Bash?\x07',
      '\x07',
      '\x07',
      '\x1b]9;clew: Allow Bash?\x07',
      '',
      '\x07',
    ],
  );
});

test('no title can end its code or begin another', () => {
  const hostile = 'a\x07\x1b]52;c;eA==\x07b\x9c\u202Ec\n;d';
  assert.doesNotMatch(plainTitle(hostile), /[\x00-\x1f\x7f-\x9f;]/);
  assert.match(plainTitle(hostile), /^a.*b.*c.*d$/);
});
