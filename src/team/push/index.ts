export { openTarget } from './open-target.ts';
export { pushFolder } from './places.ts';
export type { PlannedRemoval, PlannedSession, PushPlan } from './plan.ts';
export { chosenLevel } from './plan.ts';
export { collectPlanned, type PushOptions, type PushReport, planDryRun, pushSessions } from './push.ts';
export { noteRemoval } from './removals.ts';
export type { PushOutcome, SessionReport } from './sender.ts';
export { countSpooled, findUnreadable } from './spool.ts';
