// A push in a process of its own that ends itself by SIGKILL a few milliseconds after a step: `node push-child.js ROOT STEP MS`.
import { pushSessions } from '../../src/team/push/index.ts';
import { withLocalPush } from './push-kit.ts';

const [root = '', step = '', ms = ''] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']));
let steps = 0;

await withLocalPush({ env, root }, (options) =>
  pushSessions({
    ...options,
    onStep: () => {
      steps++;
      if (steps !== Number(step)) return;
      const kill = (): void => void process.kill(process.pid, 'SIGKILL');
      if (Number(ms) === 0) kill();
      else setTimeout(kill, Number(ms));
    },
  }),
);
