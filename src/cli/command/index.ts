export {
  type CommandInput,
  type CommandIo,
  type CommandRow,
  countFlag,
  type Flag,
  type FlagValues,
  type LeanCommand,
  listFlag,
  portFlag,
  textFlag,
} from './command.ts';
export { problemText, Unread } from './unread.ts';
