// clew team gateway forward: the forwarding process of an instance, which starts it. It ends with the instance, after its requests.
import { once } from 'node:events';
import { UserError } from '../../base/errors/index.ts';
import { connect } from '../../team/database/index.ts';
import { startForwarding } from '../../team/gateway/index.ts';
import type { CommandInput } from '../command/index.ts';
import { createStop } from '../terminal/index.ts';
import { type ForwardingMessage, type ForwardingTask, graceMs } from './forwarding-process.ts';
import { instanceLog } from './log.ts';

/** Of the pool: each request stores its mark and its outcome. */
const connections = 6;

export async function runForwarding({ io }: CommandInput): Promise<void> {
  if (process.send === undefined)
    throw new UserError('clew team gateway forward is started by the gateway', 'run clew team gateway');
  // Nobody reads what it says after the end of the instance.
  io.stderr.on('error', () => {});
  const log = instanceLog(io);
  const { signal, listen, stop, dispose } = createStop();
  listen();
  process.once('disconnect', () => stop('the instance ended'));
  const [{ address, destinations }] = (await once(process, 'message')) as [ForwardingTask];
  const sql = await connect(address, { connections });
  const forwarding = startForwarding({ sql, destinations, log });
  process.on('message', (message: ForwardingMessage) => {
    if (message === 'kick') forwarding.kick();
    else stop('the instance stops');
  });
  if (!signal.aborted) await once(signal, 'abort');
  await forwarding.stop(graceMs);
  await sql.end({ timeout: 5 });
  dispose();
  process.disconnect?.();
}
