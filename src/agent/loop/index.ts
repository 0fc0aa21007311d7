export { type CompactionWish, compactConversation, isCompactionDue } from './compaction.ts';
export type { AgentContext } from './context.ts';
export { CostMeter, requirePrice, withinBudget } from './cost.ts';
export { type Clock, EventBus, systemClock } from './event-bus.ts';
export { endedWithout, runTurn, type TurnPrompt } from './loop.ts';
export { idleTimeoutOf, maxRetriesOf } from './retry.ts';
export { startSubAgent } from './sub-agent.ts';
