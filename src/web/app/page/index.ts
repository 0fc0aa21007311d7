export { useCollapsingBars } from './bars.ts';
export { dayBefore } from './days.ts';
export { useGeneration } from './generation.ts';
export {
  type Abortable,
  type Answered,
  type Problem,
  problemOf,
  useAnswer,
  useThrottled,
  useTypedText,
} from './hooks.ts';
export {
  type PageServices,
  ServicesContext,
  StatusContext,
  useEvent,
  useServices,
  useStatus,
} from './page-context.ts';
export { PageEvents } from './page-events.ts';
export { Empty, PageFrame, ProblemNote, Waiting } from './page-frame.tsx';
export { readerNow } from './read-now.ts';
export { addressWith, goTo, startRouter, usePlace } from './router.ts';
export { applyTheme, readTheme, setTheme, type Theme, themes } from './theme.ts';
export { findToken, forgetToken, showNoToken } from './token.ts';
