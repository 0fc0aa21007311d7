// The lines of a generated session: envelopes as clients write them, a clock that advances in small steps, and the place
// in the chain on which the next line hangs.
import type { JsonObject } from '../../../src/base/json/json.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** Random choices that a seed repeats. */
export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T; // no list of choices is empty
  }

  shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.map(() => left.splice(this.below(left.length), 1)[0] as T);
  }
}

export const fuzzSessionId = '0f0f0f0f-1111-4222-8333-444444444444';

/** Writes lines; each hangs on the one before it unless it is given another parent. */
export class SessionWriter {
  readonly lines: JsonObject[] = [];
  readonly dice: Dice;
  readonly version: string;
  parent: string | null = null;
  #time = Date.parse('2026-05-01T09:00:00.000Z');
  #count = 0;

  constructor(dice: Dice) {
    this.dice = dice;
    this.version = dice.pick(['2.0.37', '2.1.45', '2.1.150', '2.1.300', '2.1.325']);
  }

  /** A number that no other line of the session has, for names and texts. */
  next(): number {
    return ++this.#count;
  }

  /** A line of the chain; answers its uuid. */
  add(type: string, fields: JsonObject, parent: string | null = this.parent): string {
    this.#time += this.dice.pick([3, 40, 900, 2500, 4100]);
    const uuid = `00000000-0000-4000-9000-${String(this.next()).padStart(12, '0')}`;
    this.lines.push({
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/widgets',
      sessionId: fuzzSessionId,
      version: this.version,
      gitBranch: 'main',
      type,
      ...fields,
      uuid,
      timestamp: new Date(this.#time).toISOString(),
    });
    this.parent = uuid;
    return uuid;
  }

  /** A line outside the chain. */
  aside(type: string, fields: JsonObject): void {
    this.lines.push({ type, sessionId: fuzzSessionId, ...fields });
  }

  /** The user returns after a long pause. */
  wait(): void {
    this.#time += 3_600_000;
  }
}

export function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

export function imageBlock(): JsonObject {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
}
