import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireLastingPath } from '../../../src/cli/trace/lasting-path.ts';

const file = 'node_modules/clew/dist/trace-hook.js';

test('a path in the cache of a package runner is refused, with what to do', () => {
  for (const folder of [
    '/home/kim/.npm/_npx/5e3a1c/',
    'C:\\Users\\kim\\AppData\\Local\\npm-cache\\_npx\\5e3a1c\\',
    '/home/kim/.cache/pnpm/dlx/abc/',
    '/tmp/dlx-4711/',
    '/tmp/xfs-12ab/dlx-1/',
    '/tmp/bunx-1000-clew@latest/',
  ]) {
    assert.throws(() => requireLastingPath(`${folder}${file}`, 'clew trace install'), {
      exitCode: 3,
      message:
        /is in the cache of a package runner.*; install Clew \(npm install -g clew\) and run clew trace install again$/,
    });
  }
});

test('an installation that stays is not', () => {
  for (const folder of ['/usr/lib/', '/home/kim/.nvm/versions/node/v20/lib/', '/home/kim/npx/', '/work/my_npx/dlxes/'])
    assert.doesNotThrow(() => requireLastingPath(`${folder}${file}`, 'clew trace install'), folder);
});
