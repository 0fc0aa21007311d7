// The address of a store → where its sessions go: a database, or a gateway in front of one.
import { UserError } from '../../base/errors/index.ts';
import type { TeamConfig } from '../config/index.ts';
import type { PushTarget } from '../contract/index.ts';
import { connect, DatabaseTarget, hidePassword, type Sql } from '../database/index.ts';

export async function openTarget(address: string, _config: Pick<TeamConfig, 'key'>): Promise<PushTarget> {
  if (/^https?:\/\//.test(address))
    throw new UserError(`${hidePassword(address)} is a gateway, which this Clew cannot push to`, 'name postgres://…');
  const open = (): Promise<Sql> => connect(address, { readsArrays: false });
  return new DatabaseTarget(await open(), { reconnect: open });
}
