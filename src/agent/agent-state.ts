// The state of a running agent as a front end reads it: every property is computed when it is read.
import { modelFactsOf } from '../models/index.ts';
import type { AgentState } from './contract/index.ts';
import type { LiveSession } from './current-session.ts';
import type { AgentContext } from './loop/index.ts';
import type { AgentSetup } from './setup.ts';
import type { TurnQueue } from './turn-queue.ts';

export function viewState(
  { mode, model, meter }: AgentContext,
  setup: AgentSetup,
  queue: TurnQueue,
  live: () => LiveSession,
): AgentState {
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
      return setup.servers();
    },
    get commands() {
      return setup.commands.filter(({ isForUser }) => isForUser);
    },
    get allowRules() {
      return setup.judge.rules.filter(({ kind }) => kind === 'allow').map(({ text }) => text);
    },
  };
}
