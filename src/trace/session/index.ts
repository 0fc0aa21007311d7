export { createTraceContext, type TraceContext } from './context.ts';
export { recoverSessions } from './recover.ts';
export { isSettled, settle } from './settle.ts';
export { type SessionRun, traceSession } from './trace-session.ts';
