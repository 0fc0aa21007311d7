// clew trace ACTION: sets up and runs the tracer; each action is loaded when it is called.
import { UserError } from '../../base/errors/index.ts';
import type { CommandInput } from '../command/index.ts';

const actions: Readonly<Record<string, () => Promise<{ run(input: CommandInput): Promise<void> }>>> = {
  install: () => import('./install.ts'),
  uninstall: async () => ({ run: (await import('./install.ts')).runUninstall }),
  hook: async () => ({ run: (await import('./install.ts')).runHookCommand }),
  backfill: () => import('./backfill.ts'),
  follow: () => import('./follow.ts'),
  status: () => import('./status.ts'),
  flush: async () => ({ run: (await import('./backfill.ts')).runFlush }),
  retry: async () => ({ run: (await import('./backfill.ts')).runRetry }),
  explain: () => import('./explain.ts'),
  test: () => import('./test.ts'),
  mute: () => import('./mute.ts'),
  unmute: async () => ({ run: (await import('./mute.ts')).runUnmute }),
};

export async function run(input: CommandInput): Promise<void> {
  const [action = 'status', ...words] = input.words;
  const load = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (load === undefined)
    throw new UserError(`unknown action "${action}"`, `use one of ${Object.keys(actions).join(', ')}`);
  const most = ['explain', 'mute', 'unmute'].includes(action) ? 1 : 0;
  if (words.length > most) throw new UserError(`clew trace ${action} does not accept "${words[most]}"`, 'leave it out');
  const { run: act } = await load();
  await act({ ...input, argument: words[0], words });
}
