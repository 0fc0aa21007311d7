// A package in CommonJS that a bundle imports when it is needed has the names that it has in Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from './support/paths.ts';
import { temporaryFolder, writeTree } from './support/temp-folder.ts';

const script = pathToFileURL(path.join(projectRoot, 'scripts/build-commonjs.mjs')).href;
const { commonjsNames } = (await import(script)) as { readonly commonjsNames: Plugin };

test('names and the default of CommonJS are the same in a bundle, also between packages', async (context) => {
  const folder = temporaryFolder(context);
  const packages = 'src/node_modules';
  writeTree(folder, {
    'src/main.mjs':
      "const { Agent, default: all } = await import('old');\nconst { name } = await import('new');\n" +
      "const { inner } = await import('middle');\nconsole.log(typeof Agent, all.Agent === Agent, name, await inner());\n",
    [`${packages}/old/package.json`]: '{"name":"old","main":"index.js"}',
    [`${packages}/old/index.js`]: 'module.exports = { Agent: class {}, "not-a-name": 1, default: 2, delete: 3 };',
    [`${packages}/middle/package.json`]: '{"name":"middle","main":"index.js"}',
    [`${packages}/middle/index.js`]: "exports.inner = async () => typeof (await import('old')).Agent;",
    [`${packages}/new/package.json`]: '{"name":"new","type":"module","exports":"./index.js"}',
    [`${packages}/new/index.js`]: "export const name = 'new';",
  });
  const outdir = path.join(folder, 'out');
  const options = { bundle: true, splitting: true, format: 'esm', platform: 'node', logLevel: 'silent' } as const;
  const entryPoints = [path.join(folder, 'src/main.mjs')];
  const run = (file: string) => execFileSync(process.execPath, [file], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const inNode = run(path.join(folder, 'src/main.mjs'));
  assert.equal(inNode, 'function true new function');
  await build({ ...options, entryPoints, outdir, outExtension: { '.js': '.mjs' }, plugins: [commonjsNames] });
  assert.equal(run(path.join(outdir, 'main.mjs')), inNode);
  // The plugin is what does it.
  await build({ ...options, entryPoints, outdir, outExtension: { '.js': '.mjs' } });
  assert.throws(() => run(path.join(outdir, 'main.mjs')), /is not a function/);
});
