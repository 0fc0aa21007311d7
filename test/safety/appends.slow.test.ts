// A client that appends to its transcript and to `history.jsonl` every 20 ms, as clients do it (open, write, close), while a
// command changes the same files: each of its lines is in the live file afterwards, or the command was refused and changed
// nothing. 20 rounds of each command with CLEW_LONG=1.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { clew } from '../support/dist.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type ExploredCommand, exploredCommands } from './explored-commands.ts';
import { type ExploredPlace, explored, makeExploredPlace, readPlace } from './explored-place.ts';
import { argsOf, runProcess } from './explorer.ts';

const names = ['strip', 'compress', 'rewind', 'redact', 'rename', 'tag', 'doctor', 'move', 'move-one'];
const { CLEW_LONG, CLEW_SEED: seed = '1', CLEW_EXPLORE: only } = process.env;
const rounds = CLEW_LONG === '1' ? 20 : 2;
const wanted = only?.split(',') ?? [...names, ...names.map((name) => `undo ${name}`)];
const random = seededRandom(Number(seed));

for (const command of exploredCommands.filter(({ name }) => wanted.includes(name)))
  test(`lines that a client appends during ${command.name} are kept`, { timeout: 1_800_000 }, async (context) => {
    const place = makeExploredPlace(context);
    for (const line of command.before) assert.equal((await run(place, line)).status, 0);
    place.keep();
    const faults: string[] = [];
    let [lines, done] = [0, 0];
    for (let round = 1; round <= rounds * 2; round++) {
      // Every client writes all prompts to the one file, also while nobody has this session open.
      const { count, isDone, found } = await appendDuring(place, command, round % 2 === 1);
      lines += count;
      done += isDone ? 1 : 0;
      faults.push(...found.map((fault) => `round ${round}: ${fault}`));
    }
    context.diagnostic(`${lines} lines appended in ${rounds * 2} rounds; ${done} times the command was not refused`);
    assert.ok(lines > 0, 'lines were appended while it ran');
    assert.deepEqual(faults, []);
  });

async function appendDuring(
  place: ExploredPlace,
  command: ExploredCommand,
  isOnlyHistory: boolean,
): Promise<{ readonly count: number; readonly isDone: boolean; readonly found: readonly string[] }> {
  place.reset();
  const before = readPlace(place);
  const client = new AppendingClient(
    place,
    before,
    command.name.includes('doctor') ? 'damaged' : 'subject',
    isOnlyHistory,
  );
  await delay(20 * random());
  const { status, stderr } = await run(place, command.line);
  client.stop();
  await run(place, 'star {other}');
  const after = readPlace(place);
  const lost = client.lines.filter(({ name, line }) => !isIn(after, name, line));
  const found =
    lost.length === 0 ? [] : [`${lost.length} of ${client.lines.length} lines lost, first ${lost[0]?.line}`];
  if (status === 70) found.push(`exit 70: ${stderr}`);
  if (status !== 0) {
    const changed = [...before].filter(([name, bytes]) => after.get(name)?.startsWith(bytes) !== true);
    if (changed.length > 0) found.push(`refused (${stderr.trim()}), but ${changed[0]?.[0]} has changed`);
  }
  return { count: client.lines.length, isDone: status === 0, found };
}

/** Sessions that moved are found by their name. The client does not know about the move, and makes its file again. */
function isIn(tree: ReadonlyMap<string, string>, name: string, line: string): boolean {
  const mark = (JSON.parse(line) as { readonly mark: string }).mark;
  return [...tree].some(
    ([file, bytes]) =>
      path.basename(file) === path.basename(name) &&
      bytes
        .split('\n')
        .some((each) => each.includes(`"${mark}"`) && each.length >= line.length - 200 && isObjectText(each)),
  );
}

function isObjectText(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

class AppendingClient {
  readonly lines: { readonly name: string; readonly line: string }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(
    place: ExploredPlace,
    before: ReadonlyMap<string, string>,
    session: keyof typeof explored,
    isOnlyHistory: boolean,
  ) {
    const sessionId = explored[session];
    const transcript = [...before.keys()].find((name) => name.endsWith(`/${sessionId}.jsonl`));
    assert.ok(transcript !== undefined);
    const common = { sessionId, timestamp: '2026-01-03T10:01:00.000Z' };
    const append = (): void => {
      const mark = `appended-${this.lines.length}`;
      const message = { role: 'user', content: 'meanwhile' };
      for (const [name, line] of [
        [transcript, { type: 'user', uuid: mark, parentUuid: null, ...common, message, mark: `${mark}-t` }],
        ['home/.claude/history.jsonl', { display: 'meanwhile', project: place.work, sessionId, mark: `${mark}-h` }],
      ] as const) {
        if (isOnlyHistory && name === transcript) continue;
        const text = JSON.stringify(line);
        try {
          appendFileSync(path.join(place.top, name), `${text}\n`);
          this.lines.push({ name, line: text });
        } catch {
          // The folder of a moved session is gone: the client has lost it and says so.
        }
      }
    };
    this.#timer = setInterval(append, 20);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function run(place: ExploredPlace, line: string): ReturnType<typeof runProcess> {
  return runProcess([process.execPath, clew, ...argsOf(line, place.words)], place.env, place.work);
}
