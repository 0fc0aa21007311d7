// What a front end may read of a running agent at any time: a view, never a copy.
import { modelFactsOf } from '../models/facts.ts';
import type { CostMeter } from './cost-meter.ts';
import type { AgentState } from './handle.ts';
import type { LiveSession } from './live-session.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { Surroundings } from './surroundings.ts';
import type { TurnQueue } from './turn-queue.ts';

export interface StateSources {
  readonly live: () => LiveSession;
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  readonly meter: CostMeter;
  readonly queue: TurnQueue;
  readonly surroundings: Surroundings;
}

export function viewState({ live, mode, model, meter, queue, surroundings }: StateSources): AgentState {
  return {
    get sessionId() {
      return live().open.sessionId;
    },
    get file() {
      return live().open.file;
    },
    get title() {
      return live().title;
    },
    get cwd() {
      return live().workspace.cwd;
    },
    get model() {
      return model();
    },
    get mode() {
      return mode();
    },
    get isBusy() {
      return queue.isBusy;
    },
    get queued() {
      return queue.texts;
    },
    get todos() {
      return live().workspace.todos;
    },
    get contextTokens() {
      return meter.contextTokens();
    },
    get contextWindow() {
      return modelFactsOf(model())?.contextTokens ?? meter.knownWindowOf(model());
    },
    get usage() {
      return meter.usage;
    },
    get usageByModel() {
      return meter.usageByModel;
    },
    get costMicros() {
      return meter.costMicros;
    },
    get unpricedTokens() {
      return meter.unpricedTokens;
    },
    costMicrosOf: (asked) => meter.costOfModel(asked),
    get mcpServers() {
      return surroundings.servers();
    },
    get commands() {
      return surroundings.commands.filter(({ isForPerson }) => isForPerson);
    },
    get allowRules() {
      return surroundings.judge.rules.filter(({ kind }) => kind === 'allow').map(({ text }) => text);
    },
  };
}
