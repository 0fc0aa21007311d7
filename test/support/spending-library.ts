// A library that grows at random, and its own tally of what each message cost: expected values for the guard that do not
// come from the code that counts. Prices are written here by hand, in micro-dollars per token.
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { seededRandom } from './seeded-random.ts';
import { answerLine } from './usage-library.ts';

const models = [
  { name: 'claude-sonnet-4-5-20250929', input: 3, output: 15, cacheRead: 0.3, write5m: 3.75, write1h: 6 },
  { name: 'claude-opus-4-5-20251101', input: 5, output: 25, cacheRead: 0.5, write5m: 6.25, write1h: 10 },
  { name: 'claude-haiku-4-5-20251001', input: 1, output: 5, cacheRead: 0.1, write5m: 1.25, write1h: 2 },
] as const;
const unpriced = 'claude-zeta-9';

/** Whole numbers from a seed. */
export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** From 0 to `end`, which is not included. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }
}

export interface Tallied {
  readonly time: number;
  readonly sessionId: string;
  /** `undefined` for a model without a price. */
  readonly microUsd: number | undefined;
}

interface Place {
  readonly sessionId: string;
  readonly slug: string;
  /** Of a sub-agent. */
  readonly agent: string | undefined;
}

export class SpendingLibrary {
  readonly root: string;
  readonly #random: Dice;
  readonly #tally: Tallied[] = [];
  readonly #lines = new Map<string, string[]>();
  readonly sessionIds: readonly string[];
  #messages = 0;

  constructor(root: string, random: Dice, sessions = 4) {
    this.root = root;
    this.#random = random;
    this.sessionIds = Array.from({ length: sessions }, (_, i) => `${String(i).repeat(8)}-1111-4111-a111-111111111111`);
    mkdirSync(path.join(root, 'projects'), { recursive: true });
  }

  transcript(sessionId: string): string {
    return this.#file({ sessionId, slug: slugOf(sessionId), agent: undefined });
  }

  /** Some messages of some sessions, at times up to three days before `nowMs`, most of them new. */
  grow(nowMs: number): void {
    const count = 1 + this.#random.below(4);
    for (let i = 0; i < count; i++) {
      const sessionId = this.sessionIds[this.#random.below(this.sessionIds.length)] as string;
      const agent = this.#random.below(4) === 0 ? `agent-a${this.#random.below(2)}` : undefined;
      this.#say({ sessionId, slug: slugOf(sessionId), agent }, this.#timeBefore(nowMs));
    }
    if (this.#random.below(12) === 0) this.#fork(nowMs);
  }

  /** What a period comes to, and whether something in it has no price. */
  spent(isIn: (message: Tallied) => boolean): { readonly microUsd: number; readonly isPart: boolean } {
    const own = this.#tally.filter(isIn);
    const microUsd = own.reduce((sum, message) => sum + (message.microUsd ?? 0), 0);
    return { microUsd, isPart: own.some((message) => message.microUsd === undefined) };
  }

  /** The 5-hour blocks, by their rule: from the full hour of the first message. */
  activeBlock(nowMs: number): number | undefined {
    const hour = 3_600_000;
    let start = Number.NEGATIVE_INFINITY;
    let active: number | undefined;
    for (const time of this.#tally.map((each) => each.time).sort((a, b) => a - b)) {
      if (time < start + 5 * hour) continue;
      start = Math.floor(time / hour) * hour;
      if (start <= nowMs && nowMs < start + 5 * hour) active = start;
    }
    return active;
  }

  #timeBefore(nowMs: number): number {
    const kind = this.#random.below(10);
    const agoMs =
      kind < 6 ? this.#random.below(60_000) : this.#random.below(kind < 8 ? 12 * 3_600_000 : 72 * 3_600_000);
    return nowMs - agoMs;
  }

  /** One message, as the client writes it: a line per block, with the same usage or with usage that still grows. */
  #say(place: Place, time: number): void {
    const random = this.#random;
    const model = random.below(25) === 0 ? undefined : models[random.below(models.length)];
    // Twenties: every price is then a whole number of micro-dollars.
    const tokens = (most: number): number => random.below(most) * 20;
    const counts = { input: tokens(50), output: tokens(100), read: tokens(300), w5m: tokens(50), w1h: tokens(20) };
    const id = `msg_${++this.#messages}`;
    const lines = 1 + random.below(3);
    for (let i = 1; i <= lines; i++) {
      const isLast = i === lines;
      this.#append(
        place,
        answerLine({
          id,
          requestId: `req_${id}`,
          model: model?.name ?? unpriced,
          time: new Date(time).toISOString(),
          sessionId: place.sessionId,
          input: counts.input,
          output: isLast ? counts.output : random.below(counts.output + 1),
          stop: isLast || random.below(2) === 0 ? 'tool_use' : null,
          usage: {
            cache_read_input_tokens: counts.read,
            cache_creation_input_tokens: counts.w5m + counts.w1h,
            cache_creation: { ephemeral_5m_input_tokens: counts.w5m, ephemeral_1h_input_tokens: counts.w1h },
          },
          top: place.agent === undefined ? {} : { isSidechain: true, agentId: place.agent.slice('agent-'.length) },
        }),
      );
    }
    const microUsd =
      model === undefined
        ? undefined
        : Math.round(
            counts.input * model.input +
              counts.output * model.output +
              counts.read * model.cacheRead +
              counts.w5m * model.write5m +
              counts.w1h * model.write1h,
          );
    const isNothing = Object.values(counts).every((count) => count === 0);
    if (microUsd !== undefined || !isNothing) this.#tally.push({ time, sessionId: place.sessionId, microUsd });
  }

  /** A copy of a session under another id: its messages still count in the original, and only there. */
  #fork(nowMs: number): void {
    const from = this.sessionIds[this.#random.below(this.sessionIds.length)] as string;
    const lines = this.#lines.get(this.transcript(from)) ?? [];
    if (lines.length === 0) return;
    const sessionId = `ffffffff-${String(nowMs % 10_000).padStart(4, '0')}-4111-a111-${String(++this.#messages).padStart(12, '0')}`;
    for (const line of lines) {
      const entry = JSON.parse(line) as { uuid: string };
      const copy = { ...entry, sessionId, forkedFrom: { sessionId: from, messageUuid: entry.uuid } };
      this.#append({ sessionId, slug: slugOf(from), agent: undefined }, JSON.stringify(copy));
    }
  }

  #append(place: Place, line: string): void {
    const file = this.#file(place);
    mkdirSync(path.dirname(file), { recursive: true });
    appendFileSync(file, `${line}\n`);
    this.#lines.set(file, [...(this.#lines.get(file) ?? []), line]);
  }

  #file({ slug, sessionId, agent }: Place): string {
    const folder = path.join(this.root, 'projects', slug);
    return agent === undefined
      ? path.join(folder, `${sessionId}.jsonl`)
      : path.join(folder, sessionId, 'subagents', `${agent}.jsonl`);
  }
}

function slugOf(sessionId: string): string {
  return sessionId.startsWith('0') ? '-w-p' : '-w-q';
}
