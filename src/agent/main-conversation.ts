// The conversation a person has, as parts of its loop: all tools, compaction when the window is full, and the hooks that
// may keep a turn from ending.
import type { AgentCore } from './agent-core.ts';
import { isCompactionDue } from './compaction.ts';
import { type CompactionParts, compactConversation } from './compactor.ts';
import { makeLoopParts } from './conversation-parts.ts';
import type { EmitEvent } from './event.ts';
import type { AgentOptions } from './handle.ts';
import type { LiveSession } from './live-session.ts';
import type { LoopParts, TurnCompaction } from './loop.ts';
import { typedPrompts } from './session/rewind.ts';
import { startSubAgent } from './sub-agent.ts';

export function mainConversation(
  core: AgentCore,
  live: () => LiveSession,
  { maxTurns, maxBudgetUsd }: Pick<AgentOptions, 'maxTurns' | 'maxBudgetUsd'>,
  takeNews: () => readonly string[],
): LoopParts {
  const emit: EmitEvent = (happening) => core.bus.emit(happening);
  const compaction: TurnCompaction = {
    isDue: () => core.env.CLEW_AUTO_COMPACT !== '0' && isCompactionDue(core.meter.contextTokens(), windowOf(core)),
    run: async (isTurnOpen, signal) => {
      const isDone = await compactConversation(
        { trigger: 'auto', isTurnOpen },
        compactionParts(core, parts),
        emit,
        signal,
      );
      if (isDone) await live().startOver(core.hooks, signal);
      return isDone;
    },
  };
  const parts: LoopParts = makeLoopParts(core, {
    hooks: core.hooks,
    workspace: () => live().workspace,
    model: core.model,
    tools: core.tools,
    prompt: () => live().prompt,
    sections: () => live().sections(),
    messages: (model) => live().open.messages(model, core.host),
    marks: () => live().open.recorder.marks(),
    limits: {
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    },
    usedIds: () => live().usedIds,
    compaction,
    takeNews,
    findInstructions: (view) => live().findInstructions(view, core.model()),
    askStop: async (text, isActive, signal) => {
      const fields = { stop_hook_active: isActive, last_assistant_message: text };
      const verdict = await core.hooks.run('Stop', '', fields, signal);
      return verdict.stop === undefined ? verdict.blocked : undefined;
    },
    startAgent: (task, callId, signal) => startSubAgent(core, task, callId, signal),
  });
  return parts;
}

export function compactionParts(core: AgentCore, parts: LoopParts): CompactionParts {
  return {
    ...core,
    hooks: core.hooks,
    request: parts.request,
    typedPrompts: () => typedPrompts(core.session()),
    usedTokens: () => core.meter.contextTokens(),
    windowTokens: () => windowOf(core),
  };
}

function windowOf(core: AgentCore): number {
  return core.meter.windowOf(core.model());
}
