export type { SpanContext } from './conversation-spans.ts';
export { type ExplainedSpan, explainJson, explainLines, sessionSpans } from './session-spans.ts';
export { looseAgentSpans, spansOfTurn, turnSpanAgain } from './spans.ts';
