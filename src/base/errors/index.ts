export {
  type Diagnostic,
  exitCodes,
  isDamage,
  systemErrorCode,
  UnreadableError,
  UserError,
  unreadableCode,
} from './errors.ts';
export { explainSystemError, remedies } from './system-errors.ts';
