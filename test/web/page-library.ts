// A library for all pages: the demo, a damaged session, one that expires soon, a live one, a hostile one, and any number
// of plain ones.
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demoProjects } from '../support/demo-library.ts';
import { plantDamage } from '../support/plant.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { plain } from '../support/sound-session.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

export const damagedId: string = sessionId;
export const expiringId = '33333333-3333-4333-a333-333333333333';
export const liveId = '44444444-4444-4444-a444-444444444444';
export const hostileId = '55555555-5555-4555-a555-555555555555';
export const buildingId = '463b11e7-f2cd-4a8c-b793-f776502024ef';

export const hostileTitle = '<img src=x onerror=alert(1)>\u202egnp.exe \u001b[31mred';

const dayMs = 86_400_000;

export function pageLibrary(): Readonly<Record<string, string | Buffer>> {
  const { bytes } = plantDamage(plain, ['G-phantom-parent', 'L-torn-tail'], seededRandom(7));
  return {
    ...demoProjects(),
    [`-home-dev-mill/${damagedId}.jsonl`]: bytes,
    [`-home-dev-mill/${expiringId}.jsonl`]: talk(expiringId, 'keep the ledger', 1),
    [`-home-dev-mill/${liveId}.jsonl`]: liveLine('grind the first sack'),
    [`-home-dev-mill/${hostileId}.jsonl`]: talk(hostileId, hostileTitle, 1),
  };
}

/** Claude Code deletes sessions after 30 days without a change. */
export function age(root: string, id: string, days: number): void {
  const time = new Date(Date.now() - days * dayMs);
  utimesSync(path.join(root, 'projects/-home-dev-mill', `${id}.jsonl`), time, time);
}

/** Appends a prompt to the live session. */
export function sayLive(root: string, prompt: string): void {
  appendFileSync(path.join(root, 'projects/-home-dev-mill', `${liveId}.jsonl`), liveLine(prompt));
}

export function manySessions(root: string, count: number): void {
  const folder = path.join(root, 'projects/-home-dev-many');
  mkdirSync(folder, { recursive: true });
  for (let i = 1; i <= count; i++) {
    const id = `66666666-6666-4666-a666-${String(i).padStart(12, '0')}`;
    writeFileSync(path.join(folder, `${id}.jsonl`), talk(id, `task number ${i}`, 1));
  }
}

function talk(id: string, prompt: string, turns: number): string {
  const builder = transcript({ sessionId: id, cwd: '/home/dev/mill' });
  for (let i = 0; i < turns; i++) builder.user(prompt).assistant(`done: ${i}`);
  return builder.text();
}

let prompts = 0;

function liveLine(prompt: string): string {
  prompts++;
  return `${JSON.stringify({
    type: 'user',
    uuid: `live-${prompts}`,
    parentUuid: prompts === 1 ? null : `live-${prompts - 1}`,
    sessionId: liveId,
    cwd: '/home/dev/mill',
    timestamp: new Date().toISOString(),
    message: { role: 'user', content: prompt },
  })}\n`;
}
