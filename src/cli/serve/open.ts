// clew open [SESSION]: serves the web page on 127.0.0.1 until it is stopped, prints the address and opens the browser. With --store
// the page shows what a team's store has.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { findTranscripts, stateFolder } from '../../store/index.ts';
import { startServer } from '../../web/server/http/index.ts';
import { type CommandInput, portFlag } from '../command/index.ts';
import {
  findSessionArgument,
  packageRoot,
  refuseDemo,
  refuseWithStore,
  rootsOf,
  type StoreChoice,
  storeChoice,
} from '../input/index.ts';
import { withStore } from '../source/index.ts';
import { createStop, writeNotice, writeOut } from '../terminal/index.ts';

export async function run(given: CommandInput): Promise<void> {
  if (given.flags['allow-changes'] === true) refuseDemo(given, '`clew open --allow-changes`');
  refuseWithStore(given, { 'allow-changes': 'nothing in a store can be changed from a page' });
  const store = await storeChoice(given);
  if (store !== undefined) return openStored(given, store);
  const input = orDemo(given);
  const session = input.argument === undefined ? undefined : await findSessionArgument(input);
  await serve(input, {}, async (server) => {
    if (session === undefined) return server.url;
    const url = await server.urlOf(path.resolve(session));
    if (url !== undefined) return url;
    throw new UserError(`${session} is not in a project folder of a root`, 'add its root with --root DIR');
  });
}

/** An address or a role that does not work is an error of the command, not of the page. */
async function openStored(input: CommandInput, store: StoreChoice): Promise<void> {
  await withStore(store, async () => {});
  const { argument } = input;
  await serve(input, { store }, async (server) => {
    const url = argument === undefined ? server.url : await server.urlOfId(argument);
    if (url !== undefined) return url;
    throw new UserError(`the store shows no session ${argument}`, '`clew ls --store --everyone` lists them');
  });
}

type Setup = Parameters<typeof startServer>[0];

/** Until the command is stopped. */
async function serve(
  input: CommandInput,
  setup: Partial<Setup>,
  urlOf: (server: Awaited<ReturnType<typeof startServer>>) => Promise<string>,
): Promise<void> {
  const { flags, io } = input;
  const { signal, listen, dispose } = createStop();
  const server = await startServer({
    roots: rootsOf(input),
    state: stateFolder(io.env),
    isDemo: flags.demo === true,
    allowsChanges: flags['allow-changes'] === true,
    port: portFlag(flags),
    pageFolder: path.join(packageRoot, 'dist', 'page'),
    env: io.env,
    onNotice: (message) => writeNotice(io.stderr, message),
    onFault: (message) => writeNotice(io.stderr, message),
    ...setup,
  });
  listen();
  try {
    const url = await urlOf(server);
    await writeOut([flags.json === true ? `${jsonText({ url })}\n` : `${url}\n`], io);
    if (flags.json !== true) writeNotice(io.stderr, 'press Ctrl-C to stop');
    if (flags['no-browser'] !== true) openBrowser(url, io.env);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    await server.close();
    dispose();
  }
}

/** For `npm start`: shows the demo if there are no other sessions. */
function orDemo(input: CommandInput): CommandInput {
  const { flags, io } = input;
  if (flags['or-demo'] !== true || findTranscripts(rootsOf(input)).files.length > 0) return input;
  writeNotice(io.stderr, 'no sessions yet; showing the bundled demo sessions');
  return { ...input, flags: { ...flags, demo: true, 'allow-changes': false } };
}

/** Errors are ignored: the user can open the printed address. */
function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const [command, args] = browserCommand(url, env);
  if (command === undefined) return;
  const child = spawn(command, args, { stdio: 'ignore', detached: true, env });
  child.on('error', () => {});
  child.unref();
}

function browserCommand(url: string, env: NodeJS.ProcessEnv): readonly [string | undefined, readonly string[]] {
  if (process.platform === 'darwin') return ['open', [url]];
  if (process.platform === 'win32') return ['cmd', ['/c', 'start', '""', url.replaceAll('&', '^&')]];
  // Without a display xdg-open may start a browser in the terminal.
  const hasScreen = [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER].some(
    (value) => value !== undefined && value !== '',
  );
  return [hasScreen ? 'xdg-open' : undefined, [url]];
}
