export { type CompactionWish, compactConversation, compactionReserve, isCompactionDue } from './compaction.ts';
export type { AgentContext, TurnPrompt } from './context.ts';
export { CostMeter, requirePrice, withinBudget } from './cost.ts';
export { type Clock, EventBus, systemClock } from './event-bus.ts';
export { askForHook } from './hook-model.ts';
export { endedWithout, runTurn } from './loop.ts';
export { type RequestWish, readRequestWish, wishedFields } from './request-wish.ts';
export { idleTimeoutOf, maxRetriesOf } from './retry.ts';
export { backgroundFields, startSubAgent } from './sub-agent.ts';
