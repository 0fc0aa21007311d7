// What a hook needs if there is something to do, in one file: most runs of the hook find nothing new and do not load it.
export { needsSender } from '../outbox/index.ts';
export { answerHook } from './answer-hook.ts';
export { runSender } from './sender.ts';
