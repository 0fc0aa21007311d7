// Hook runs on a library that grows between them: the verdict is always the one of an independent tally in micro-dollars,
// with limits around what was spent and exactly at it. A tenth of the thousand runs in CI, all with CLEW_LONG=1.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { answerHook } from '../../../src/cli/guard/answer.ts';
import type { GuardLimits } from '../../../src/library/guard/limits.ts';
import { Dice, SpendingLibrary, type Tallied } from '../../support/spending-library.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
];
const seeds = 10;
const runsPerSeed = process.env.CLEW_LONG === '1' ? 100 : 10;

for (let seed = 1; seed <= seeds; seed++) {
  test(`seed ${seed}: every verdict is that of the tally`, (context) => {
    const counts = { below: 0, soft: 0, hard: 0 };
    const world = new World(context, seed);
    for (let run = 0; run < runsPerSeed; run++) counts[world.step(run)]++;
    // Each kind is among them: a test that never blocks proves nothing.
    if (runsPerSeed >= 100) for (const [level, count] of Object.entries(counts)) assert.ok(count > 5, level);
  });
}

type Level = 'below' | 'soft' | 'hard';

class World {
  readonly #dice: Dice;
  readonly #library: SpendingLibrary;
  readonly #state: string;
  readonly #seed: number;
  #nowMs: number;

  constructor(context: TestContext, seed: number) {
    const folder = temporaryFolder(context);
    this.#seed = seed;
    this.#dice = new Dice(seed);
    this.#state = path.join(folder, 'state');
    this.#library = new SpendingLibrary(path.join(folder, 'root'), this.#dice);
    // Around the end of summer time of several zones.
    this.#nowMs = Date.UTC(2026, 9, 24) + this.#dice.below(72) * 3_600_000;
  }

  step(run: number): Level {
    const dice = this.#dice;
    if (run === 0 || dice.below(5) > 0) this.#library.grow(this.#nowMs);
    this.#nowMs += dice.below(10) === 0 ? dice.below(8 * 3_600_000) : dice.below(120_000);
    const timeZone = zones[dice.below(zones.length)] as string;
    const sessionId = this.#library.sessionIds[dice.below(this.#library.sessionIds.length)] as string;
    const per = (['day', 'session', 'block'] as const)[dice.below(3)] ?? 'day';
    const { microUsd, isPart } = this.#library.spent(this.#isIn(per, sessionId, timeZone));
    const limits = this.#limitsAround(microUsd, per, timeZone);
    const expected: Level =
      limits.hard !== undefined && microUsd >= limits.hard
        ? 'hard'
        : limits.soft !== undefined && microUsd >= limits.soft
          ? 'soft'
          : 'below';
    const event = dice.below(3) === 0 ? 'UserPromptSubmit' : 'PreToolUse';
    const answer = this.#ask(event, sessionId, limits);
    const where = `seed ${this.#seed}, run ${run}: ${microUsd} per ${per} in ${timeZone}, ${JSON.stringify(limits)}`;
    assert.deepEqual(verdictOf(answer), { level: expected, isPart: isPart && expected !== 'hard' }, where);
    return expected;
  }

  #ask(event: string, sessionId: string, limits: GuardLimits): Answer {
    // Notices are shown once; here every run must show its own.
    rmSync(path.join(this.#state, 'guard'), { recursive: true, force: true });
    const input = {
      hook_event_name: event,
      transcript_path: this.#library.transcript(sessionId),
      session_id: sessionId,
    };
    const env = { CLEW_HOME: this.#state, CLEW_ROOTS: this.#library.root };
    return answerHook(input, { limits, roots: [], isHardInLine: false, env, nowMs: this.#nowMs }) as Answer;
  }

  #isIn(per: GuardLimits['per'], sessionId: string, timeZone: string): (message: Tallied) => boolean {
    if (per === 'session') return (message) => message.sessionId === sessionId;
    if (per === 'block') {
      const start = this.#library.activeBlock(this.#nowMs);
      return ({ time }) => start !== undefined && time >= start && time < start + 5 * 3_600_000;
    }
    const day = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    const today = day.format(this.#nowMs);
    return ({ time }) => day.format(time) === today;
  }

  #limitsAround(microUsd: number, per: GuardLimits['per'], timeZone: string): GuardLimits {
    const near = (): number => Math.max(1, microUsd + ([-1000, -1, 0, 1, 1000, 1_000_000][this.#dice.below(6)] ?? 0));
    const [a, b] = [near(), near()].sort((x, y) => x - y);
    const kind = this.#dice.below(6);
    return { soft: kind === 0 ? undefined : a, hard: kind === 1 ? undefined : b, per, timeZone };
  }
}

type Answer =
  | {
      readonly systemMessage?: string;
      readonly decision?: string;
      readonly reason?: string;
      readonly continue?: boolean;
      readonly hookSpecificOutput?: { readonly permissionDecision: string };
    }
  | undefined;

/** As the client reads it. */
function verdictOf(answer: Answer): { readonly level: Level; readonly isPart: boolean } {
  const text = answer?.systemMessage ?? '';
  const isPart = text.includes('have no price');
  const isDenied = answer?.hookSpecificOutput?.permissionDecision === 'deny' && answer.continue === false;
  if (answer?.decision === 'block' || isDenied) return { level: 'hard', isPart };
  return { level: text.includes('the soft limit is') ? 'soft' : 'below', isPart };
}
