export {
  type Diagnostic,
  exitCodes,
  isDamage,
  systemErrorCode,
  UnreadableError,
  UserError,
  unreadableCode,
} from './errors.ts';
