// The session that the doctor's tests damage: nothing is wrong with it.
import { text, thinking, toolResult, toolUse, transcript } from './transcript-builder.ts';

/** Two turns with a call each, thinking, and a prompt with a text answer. */
export const plain: Buffer = Buffer.from(
  transcript()
    .user('look at it')
    .assistant([thinking('which?'), toolUse('t1')])
    .user([toolResult('t1')])
    .assistant([text('it is fine')])
    .user('and now?')
    .assistant([toolUse('t2')])
    .user([toolResult('t2')])
    .assistant('done')
    .user('thanks')
    .assistant('welcome')
    .text(),
);
