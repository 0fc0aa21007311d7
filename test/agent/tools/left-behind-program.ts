// Run by left-behind.test.ts: starts commands in every way, prints the ids of their processes, and waits to be killed.
import { makeTools } from '../../../src/agent/tools/all.ts';
import { makeWorkspace } from '../../../src/agent/tools/shell/background.ts';

const [folder = '', mode] = process.argv.slice(2);
const bash = makeTools().find(({ name }) => name === 'Bash');
const workspace = makeWorkspace({ projectDir: folder, sessionDir: `${folder}/session`, env: process.env });
const printed = new Set<string>();

async function run(command: string, run_in_background = false): Promise<void> {
  await bash?.run(
    { command, run_in_background },
    {
      callId: 'toolu_1',
      confinement: 'open',
      isApproved: false,
      mayTouch: () => true,
      signal: new AbortController().signal,
      workspace,
      progress: (update) => print(update.text),
      keepFile: async () => undefined,
      askUser: async () => undefined,
      askModel: async () => ({ problem: '' }),
      startAgent: async () => ({ content: '', isError: true, stored: '' }),
    },
  );
}

function print(text: string): void {
  for (const line of text.split('\n').slice(0, -1)) {
    if (!printed.has(line)) process.stdout.write(`${line}\n`);
    printed.add(line);
  }
}

await run('sleep 1000 & echo $!');
if (mode === 'exit') {
  await run('nohup sleep 1000 >/dev/null 2>&1 & echo $!');
} else {
  await run('sleep 1000 & echo $!; echo $$; wait', true);
  const task = workspace.background.all[0];
  const timer = setInterval(() => {
    print(task?.takeOutput().stdout ?? '');
    if (printed.size >= 7) clearInterval(timer);
  }, 20);
  await Promise.all([
    run("trap '' TERM HUP INT; (trap '' TERM HUP INT; sleep 1000) & printf '%s\\n%s\\n' $! $$; sleep 1000"),
    run("sleep 1000 | sleep 1000 & printf '%s\\n%s\\n' $! $$; sleep 1000"),
  ]);
}
