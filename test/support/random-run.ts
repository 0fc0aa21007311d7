// A random run of the agent: turns with text, thinking, parallel calls, sub-agents, retries, abandoned answers, failures,
// interrupts, compactions, queued prompts. `after` is called after every event.
import type { JsonObject } from '../../src/base/json/json.ts';
import type { AgentRun } from './agent-run.ts';
import { signature } from './signature.ts';

export async function runRandomly(run: AgentRun, random: () => number, turns: number): Promise<void> {
  const acts = new RandomActs(run, random);
  for (let turn = 0; turn < turns; turn++) await acts.turn(turn);
}

class RandomActs {
  readonly #run: AgentRun;
  readonly #random: () => number;

  constructor(run: AgentRun, random: () => number) {
    this.#run = run;
    this.#random = random;
  }

  async turn(index: number): Promise<void> {
    const run = this.#run;
    await run.prompt(this.#oneIn(4) ? [{ type: 'text', text: `Prompt ${index}` }] : `Prompt ${index}`);
    if (this.#oneIn(4)) await run.prompt('A reminder.', undefined, true);
    for (let round = this.#upTo(3); round > 0; round--) await this.#round();
    await this.#end();
    if (!this.#oneIn(8)) await run.endTurn();
    if (this.#oneIn(6)) await run.compact(`Summary ${index}.`);
    if (this.#oneIn(6)) await run.emit({ type: 'mode', mode: 'acceptEdits' });
    if (this.#oneIn(6)) await run.session.recorder.rename(`Title ${index}`);
  }

  async #round(): Promise<void> {
    const run = this.#run;
    await this.#troubles();
    if (this.#oneIn(3)) await this.#agents();
    else await run.calls(['Read', 'Bash', 'Edit', 'Grep'].slice(this.#upTo(3)));
    if (this.#oneIn(5)) {
      await run.emit({ type: 'queued', text: 'Meanwhile' });
      await run.emit({ type: 'unqueued', operation: 'dequeue', text: 'Meanwhile' });
      await run.prompt('Meanwhile');
    }
    if (this.#oneIn(8)) await run.compact('In the middle.');
  }

  async #troubles(): Promise<void> {
    const run = this.#run;
    while (this.#oneIn(3)) {
      if (this.#oneIn(2)) {
        const id = `msg_dead_${run.newId()}`;
        const call = { type: 'tool_use', id: `toolu_${run.newId()}`, name: 'Read', input: {} };
        const blocks: readonly JsonObject[] = [{ type: 'text', text: 'Half' }, call];
        await run.blocks(blocks.slice(0, 1 + this.#upTo(2)), undefined, id);
        await run.abandon(id);
      }
      await run.retry();
    }
  }

  async #agents(): Promise<void> {
    const run = this.#run;
    const ids = ['Agent', 'Agent'].map(() => `toolu_${run.newId()}`);
    const uuids = await run.blocks(ids.map((id) => ({ type: 'tool_use', id, name: 'Agent', input: {} })));
    await Promise.all(ids.map((id) => run.agent(id, `a${id.replace(/\W/g, '').slice(-12)}`)));
    for (const [i, id] of ids.entries()) {
      const outcome = { content: [{ type: 'text', text: 'found' }], isError: false, stored: { agentId: id } };
      const call = { id, name: 'Agent', input: {} };
      await run.emit({ type: 'result', uuid: crypto.randomUUID(), call, callUuid: uuids[i] ?? '', outcome });
    }
  }

  async #end(): Promise<void> {
    const run = this.#run;
    switch (this.#upTo(5)) {
      case 0:
        return run.interrupt('text');
      case 1:
        await run.calls(['Bash']);
        return run.interrupt('tool');
      case 2:
        await run.retry();
        return run.fail();
      case 3:
        await run.blocks([
          { type: 'thinking', thinking: 'Hm.', signature: signature(40) },
          { type: 'text', text: 'Thought through.' },
        ]);
        return;
      default:
        return run.answer('Done.');
    }
  }

  #upTo(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #oneIn(count: number): boolean {
    return this.#upTo(count) === 0;
  }
}
