// The compiled code that `clew guard` keeps: with it, without it, and with code that is damaged or of another build the hook
// gives the same answer.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cleanEnv } from '../support/clew.ts';
import { clew, dist } from '../support/dist.ts';
import { place } from './statusline-kit.ts';

test('kept code is used, and replaced if it is damaged or of another build', (context) => {
  const { file, env } = place(context);
  const folder = path.join(env.CLEW_HOME ?? '', 'code');
  const input = JSON.stringify({ transcript_path: file, hook_event_name: 'PreToolUse' });
  const answer = (): unknown => {
    const run = spawnSync(process.execPath, [clew, 'guard', '--hard', '0.01'], {
      input,
      encoding: 'utf8',
      env: { ...cleanEnv(), ...env },
    });
    assert.deepEqual([run.status, run.stderr], [0, '']);
    return (JSON.parse(run.stdout) as { hookSpecificOutput: { permissionDecision: string } }).hookSpecificOutput
      .permissionDecision;
  };
  assert.equal(answer(), 'deny');
  assert.deepEqual(readdirSync(folder), [`guard-answer-${process.version}-${process.arch}`]);
  const kept = path.join(folder, readdirSync(folder)[0] ?? '');
  const source = readFileSync(path.join(dist, 'lean/guard-answer.js'));
  const whole = readFileSync(kept);
  const isWhole = (bytes: Buffer): boolean => {
    const half = (source.length + bytes.length) / 2;
    const isTwice = bytes.subarray(source.length, half).equals(bytes.subarray(half));
    return isTwice && half - source.length > 50_000 && bytes.subarray(0, source.length).equals(source);
  };
  assert.ok(isWhole(whole));
  assert.equal(answer(), 'deny');
  assert.ok(readFileSync(kept).equals(whole), 'a call with kept code writes nothing');

  const changed = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(whole);
    change(bytes);
    return bytes;
  };
  const flip = (bytes: Buffer, at: number): number => bytes.writeUInt8(255 - bytes.readUInt8(at), at);
  const cases = {
    'a damaged byte of the code': changed((bytes) => flip(bytes, source.length + 1000)),
    'a damaged byte of the second code': changed((bytes) => flip(bytes, whole.length - 1000)),
    'another source of the same length': changed((bytes) => flip(bytes, 100)),
    'only the source': whole.subarray(0, source.length),
    'a part of the code': whole.subarray(0, source.length + 10_000),
    'an empty file': Buffer.alloc(0),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    writeFileSync(kept, bytes);
    assert.equal(answer(), 'deny', name);
    assert.ok(isWhole(readFileSync(kept)), name);
  }
});
