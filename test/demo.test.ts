// The bundled demo library: its bytes follow from scripts/make-demo.mjs, and its transcripts are sound.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, asString, isArray, isObject, type JsonObject, parseJson } from '../src/base/json/json.ts';
import { filesBelow, projectRoot } from './support/paths.ts';

const demo = path.join(projectRoot, 'demo/projects');
const transcripts = filesBelow(demo, '.jsonl');

test('the script makes the committed demo library byte for byte', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-demo-'));
  try {
    const script = path.join(projectRoot, 'scripts/make-demo.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.deepEqual(readTree(path.join(folder, 'projects')), readTree(demo));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the demo library has five sessions and stays small', () => {
  const tree = readTree(demo);
  const isMain = (file: string) => /^[^/]+\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/.test(file);
  assert.equal(Object.keys(tree).filter(isMain).length, 5);
  const sizeBytes = Object.values(tree).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  assert.ok(sizeBytes < 150_000, `${sizeBytes} bytes`);
});

test('a demo sub-agent is linked to its tool call and its answer', () => {
  const metas = filesBelow(demo, '.meta.json');
  assert.equal(metas.length, 1);
  for (const meta of metas) {
    const main = readEntries(`${path.dirname(path.dirname(meta))}.jsonl`);
    const toolUseId = asString(asObject(parseJson(readFileSync(meta, 'utf8')))?.toolUseId);
    const call = blocksOf(main, 'tool_use').find((block) => block.id === toolUseId);
    const answer = main.find((entry) => blocksOf([entry], 'tool_result').some((b) => b.tool_use_id === toolUseId));
    assert.equal(call?.name, 'Agent');
    assert.equal(`agent-${asObject(answer?.toolUseResult)?.agentId}.meta.json`, path.basename(meta));
  }
});

for (const file of transcripts) {
  const name = path.relative(demo, file);

  test(`every line of ${name} is a JSON object and the last one ends with a newline`, () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    assert.equal(lines.pop(), '');
    assert.deepEqual(
      lines.filter((line) => !isObject(parseJson(line))),
      [],
    );
  });

  test(`every tool call in ${name} has exactly one result`, () => {
    const entries = readEntries(file);
    const calls = blocksOf(entries, 'tool_use').map((block) => asString(block.id));
    const results = blocksOf(entries, 'tool_result').map((block) => asString(block.tool_use_id));
    assert.equal(new Set(calls).size, calls.length);
    assert.deepEqual(results.sort(), calls.sort());
  });

  test(`every parent in ${name} is before its child, and times only increase`, () => {
    const seen = new Set<unknown>([null]);
    let before = '';
    for (const entry of readEntries(file).filter((line) => line.uuid !== undefined)) {
      assert.ok(seen.has(entry.parentUuid), `parent of ${entry.uuid}`);
      assert.ok(!seen.has(entry.uuid), `${entry.uuid} is new`);
      seen.add(entry.uuid);
      const timestamp = asString(entry.timestamp) ?? '';
      assert.ok(timestamp > before, `${timestamp} after ${before}`);
      before = timestamp;
    }
  });
}

function readTree(folder: string): Record<string, string> {
  const files = [...filesBelow(folder, '.jsonl'), ...filesBelow(folder, '.json')];
  return Object.fromEntries(
    files.map((file) => [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file, 'utf8')]),
  );
}

function readEntries(file: string): JsonObject[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => parseJson(line))
    .filter((value) => isObject(value));
}

function blocksOf(entries: readonly JsonObject[], type: string): JsonObject[] {
  return entries.flatMap((entry) => {
    const content = asObject(entry.message)?.content;
    return isArray(content) ? content.filter(isObject).filter((block) => block.type === type) : [];
  });
}
