// Every session that the real client wrote, bundled and imported elsewhere.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { planImport } from '../../src/surgery/bundle/import.ts';
import { unpackBundle } from '../../src/surgery/bundle/read.ts';
import { writeBundle } from '../../src/surgery/bundle/write.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { type Bench, benchOf, someRealSessions } from '../support/surgery-kit.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

test('real sessions, bundled and imported, send what they sent, without thinking', async (context) => {
  const total = { raw: 0, packed: 0 };
  // An empty transcript is not bundled.
  const sessions = someRealSessions(2).filter((file) => statSync(file).size > 0);
  assert.ok(sessions.length > 50, `${sessions.length} sessions`);
  for (const file of sessions) {
    const bench = benchOf(context, file);
    const bundle = path.join(path.dirname(bench.root), 'b.clew');
    const manifest = await writeBundle(bundle, [await loadSource(bench.main)]);
    total.packed += readFileSync(bundle).length;
    total.raw += manifest.sessions.flatMap(({ files }) => files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const { to } = await importInto(bench, bundle, temporaryFolder(context), '/srv/p');
    const [before, after] = await Promise.all(
      [bench.main, to.path].map(async (main) =>
        JSON.stringify(requestMessages(await loadSession(main)), withoutThinking),
      ),
    );
    assert.equal(withoutPlaces(after), withoutPlaces(before), file);
  }
  context.diagnostic(JSON.stringify(total));
  assert.ok(total.packed * 4 < total.raw);
});

async function importInto(bench: Bench, file: string, root: string, to: string): Promise<Outcome> {
  return unpackBundle(file, bench.env, async (manifest, unpacked) => {
    const options = {
      file,
      unpacked,
      projects: path.join(root, 'projects'),
      to,
      home: '/home/eve',
      taken: new Set<string>(),
    };
    const { plan, sources } = await planImport(manifest, options);
    return operate(plan, sources, { env: bench.env });
  });
}

/** Thinking is not imported, except for an open round of a model that needs it. */
function withoutThinking(key: string, value: unknown): unknown {
  if (key !== 'content' || !Array.isArray(value)) return value;
  return value.filter(({ type }: { type?: unknown }) => type !== 'thinking' && type !== 'redacted_thinking');
}

function withoutPlaces(text: string | undefined): string | undefined {
  return text?.replace(/saved to: [^"]*?\/tool-results\//g, '');
}
