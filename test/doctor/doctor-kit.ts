// Damaged bytes → a diagnosis, or the repaired session, and what must hold for every repair: the proof, a second look that finds nothing,
// a request that the API takes, and no record that is lost without being listed.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkRequest } from '../../src/api/rules/check-request.ts';
import { type DamageCode, isSevere } from '../../src/doctor/checks/finding.ts';
import { type Diagnosis, diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair, type RepairOptions } from '../../src/doctor/repair/repair.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { requestMessages } from '../../src/session/resume/request/request.ts';
import { type Outcome, operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Source } from '../../src/surgery/engine/plan.ts';
import { type OutlineMessage, outline } from '../support/outline.ts';
import { damageTable } from './damage-table.ts';

export interface OpenedSession {
  readonly source: Source;
  readonly diagnosis: Diagnosis;
}

/** Writes the bytes as a session of a library in `folder` and looks at it. */
export async function openBytes(folder: string, bytes: Buffer): Promise<OpenedSession> {
  const sessionId = /"sessionId":"([0-9a-f-]{36})"/.exec(bytes.toString('latin1'))?.[1];
  const file = path.join(folder, 'projects/-w-p', `${sessionId ?? '11111111-1111-4111-a111-111111111111'}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  const source = await loadSource(file);
  return { source, diagnosis: await diagnoseSession(source.session) };
}

/** Every planted class is found, and where a resume leaves something out, a finding says so. */
export function assertFound({ findings, reachable }: Diagnosis, codes: readonly DamageCode[], what: string): void {
  const found = new Set(findings.map(({ code }) => code));
  assert.deepEqual(
    codes.filter((code) => !found.has(code)),
    [],
    `${what}, planted ${codes.join(' ')}`,
  );
  const { loaded, of } = reachable;
  assert.ok(loaded === of || findings.some(isSevere), `${what}: loads ${loaded} of ${of}, and no finding says why`);
}

/** Repairs them; a session that no repair is planned for is a failure. */
export async function repairBytes(folder: string, bytes: Buffer, options: RepairOptions = {}): Promise<Outcome> {
  const { source, diagnosis } = await openBytes(folder, bytes);
  const plan = await planRepair(source, diagnosis, options);
  assert.ok(plan !== undefined, 'no repair is planned');
  return operate(plan, [source], { env: { CLEW_HOME: path.join(folder, 'state') } });
}

/** What a resume sends; the ids of calls are numbered in the order in which they appear. */
export async function sentBy(file: string): Promise<readonly OutlineMessage[]> {
  const request = requestMessages(await loadSession(file));
  assert.ok('messages' in request, 'a resume is refused');
  const ids = new Map<string, string>();
  const text = JSON.stringify(outline(request.messages)).replace(/toolu_[0-9a-f]{24}/g, (id) => {
    if (!ids.has(id)) ids.set(id, `toolu_${ids.size + 1}`);
    return ids.get(id) ?? id;
  });
  return JSON.parse(text) as readonly OutlineMessage[];
}

/** What was said, block by block, without line breaks at the ends: these depend on what a text is joined with. */
export function wordsOf(messages: readonly OutlineMessage[]): readonly string[] {
  return messages
    .flatMap((message) => ('user' in message ? message.user : message.assistant))
    .map((word) => word.trim());
}

/** The first word that is not there, or not in this order. */
export function missingIn(words: readonly string[], wanted: readonly string[]): string | undefined {
  let at = 0;
  for (const word of wanted) {
    const found = words.indexOf(word, at);
    if (found < 0) return word;
    at = found + 1;
  }
  return undefined;
}

export async function assertSound(outcome: Outcome, original: Buffer, what: string): Promise<void> {
  const { to, others, proof, dropped } = outcome;
  assert.deepEqual([proof.violations, proof.untouchedIdentical], [[], true], what);
  const again = await diagnoseSession(await loadSession(to.path));
  assert.deepEqual(
    again.findings
      .filter(({ code }) => damageTable[code].isRepaired)
      .map(({ code, line, message }) => `${code} ${line} ${message}`),
    [],
    what,
  );
  assert.equal(again.reachable.loaded, again.reachable.of, what);
  assert.equal(await planRepair(await loadSource(to.path), again), undefined, what);
  const request = requestMessages(await loadSession(to.path), 'go on');
  assert.deepEqual('refused' in request ? request : checkRequest(request), [], what);
  const written = [to, ...others].map((each) => readFileSync(each.path, 'latin1')).join('');
  const goneLines = new Set(dropped.map(({ line }) => line));
  assert.deepEqual(
    uuidsOf(original, goneLines).filter((uuid) => !written.includes(`"${uuid}"`)),
    [],
    `${what}: records are neither in the result nor listed as dropped`,
  );
}

function uuidsOf(bytes: Buffer, leftOut: ReadonlySet<number>): readonly string[] {
  const lines = bytes.toString('latin1').split('\n');
  return lines.flatMap((line, i) =>
    leftOut.has(i + 1) ? [] : [...line.matchAll(/"uuid":"([\w-]+)"/g)].map((match) => match[1] ?? ''),
  );
}
