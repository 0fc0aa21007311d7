// The hook starts after every turn: what it needs of the tracer must stay small and bring no package along.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { projectRoot } from '../support/paths.ts';

test('from a transcript to OTLP, nothing is loaded but small files of our own', async () => {
  const files = ['cursor', 'spans', 'agents', 'profiles/langfuse', 'profiles/genai', 'profiles/openinference', 'otlp'];
  const { metafile } = await build({
    stdin: {
      contents: files.map((file) => `export * as ${path.basename(file)} from './src/trace/${file}.ts';`).join('\n'),
      resolveDir: projectRoot,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    outfile: 'hook.js',
  });
  const inputs = Object.keys(metafile.inputs).filter((input) => input !== '<stdin>');
  const folders = new Set(inputs.map((input) => input.split('/').slice(0, 2).join('/')));
  assert.deepEqual([...folders].sort(), ['src/base', 'src/format', 'src/session', 'src/store', 'src/trace']);
  assert.ok((metafile.outputs['hook.js']?.bytes ?? 0) < 90_000);
});
