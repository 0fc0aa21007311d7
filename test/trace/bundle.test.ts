// The hook starts after every turn: what it needs of the tracer must stay small and bring no package along.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '../support/paths.ts';

test('from a transcript to OTLP, nothing is loaded but small files of our own', async () => {
  // As in scripts/build.mjs: what is not used of a folder's index.ts is left out.
  const plugins = pathToFileURL(path.join(projectRoot, 'scripts/build-modules.mjs')).href;
  const { pureModules }: { readonly pureModules: Plugin } = await import(plugins);
  const profiles = ['langfuse', 'genai', 'openinference'].map((name) => `profiles/${name}`);
  const files = ['read/cursor', 'spans/spans', 'read/agents', ...profiles, 'otlp/otlp'];
  const { metafile } = await build({
    stdin: {
      contents: files.map((file) => `export * as ${path.basename(file)} from './src/trace/${file}.ts';`).join('\n'),
      resolveDir: projectRoot,
    },
    bundle: true,
    plugins: [pureModules],
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    outfile: 'hook.js',
  });
  const bundled = Object.entries(metafile.outputs['hook.js']?.inputs ?? {}).filter(
    ([, part]) => part.bytesInOutput > 0,
  );
  const inputs = bundled.map(([input]) => input).filter((input) => input !== '<stdin>');
  const folders = new Set(inputs.map((input) => input.split('/').slice(0, 2).join('/')));
  assert.deepEqual([...folders].sort(), ['src/base', 'src/format', 'src/session', 'src/store', 'src/trace']);
  assert.ok((metafile.outputs['hook.js']?.bytes ?? 0) < 90_000);
});
