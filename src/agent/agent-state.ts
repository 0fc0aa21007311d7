// The state of a running agent as a front end reads it: every property is computed when it is read.
import { apiKeySourceOf } from '../api/connection/index.ts';
import { modelFactsOf, platformOf } from '../models/index.ts';
import type { AgentState } from './contract/index.ts';
import type { LiveSession } from './current-session.ts';
import { type AgentContext, wishedFields } from './loop/index.ts';
import type { AgentSetup } from './setup.ts';
import type { TurnQueue } from './turn-queue.ts';

export function viewState(
  { mode, model, meter, wish, backgroundTasks }: AgentContext,
  setup: AgentSetup,
  queue: TurnQueue,
  live: () => LiveSession,
): AgentState {
  const platform = platformOf(setup.env);
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
    get effort() {
      return wishedFields(model(), wish()).effort;
    },
    get mode() {
      return mode();
    },
    apiKeySource: apiKeySourceOf(setup.env, setup.apiKeyHelper),
    apiProvider: platform === 'anthropic' ? 'firstParty' : platform,
    get isBusy() {
      return queue.isBusy;
    },
    get queued() {
      return queue.texts;
    },
    get backgroundTasks() {
      return backgroundTasks();
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
    get tools() {
      return setup.tools().map(({ name }) => name);
    },
    get agents() {
      return setup.definitions.map(({ name, description, model: own }) => ({
        name,
        description,
        ...(own === undefined ? {} : { model: own }),
      }));
    },
    get commands() {
      const forUser = setup.commands.filter(({ isForUser }) => isForUser);
      return forUser.map(({ argumentHint, ...command }) => ({
        ...command,
        ...(argumentHint === undefined ? {} : { argumentHint }),
      }));
    },
    get allowRules() {
      return setup.judge.rules.filter(({ kind }) => kind === 'allow').map(({ text }) => text);
    },
  };
}
