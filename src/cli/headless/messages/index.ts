export { describeOwnCommands, isLocalCommand, type LocalCommandName } from './local-commands.ts';
export { type MessageChoice, MessageStream } from './message-stream.ts';
export { codeOfTurn, errorsOf, signalCodes } from './result.ts';
