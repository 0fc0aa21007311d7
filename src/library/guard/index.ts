export {
  amountText,
  type GuardLimits,
  type GuardPeriod,
  guardFile,
  guardPeriods,
  limitsFrom,
  parseAmount,
  readGuard,
  removeGuard,
  writeGuard,
} from './limits.ts';
export { type NoticeKey, NoticeLog } from './notice-log.ts';
export { type GuardForecast, type GuardState, judge } from './verdict.ts';
