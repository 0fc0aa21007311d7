// The address of a store → where its sessions go: a database, or a gateway in front of one.
import type { Environment } from '../../base/node/index.ts';
import { isGatewayAddress, type TeamConfig } from '../config/index.ts';
import type { PushTarget } from '../contract/index.ts';
import { connect, DatabaseTarget, type Sql } from '../database/index.ts';

export async function openTarget(
  address: string,
  { key }: Pick<TeamConfig, 'key'>,
  env: Environment = process.env,
): Promise<PushTarget> {
  if (isGatewayAddress(address)) {
    // Not the whole gateway, which is a server.
    const { HttpTarget } = await import('../gateway/http-target.ts');
    return new HttpTarget({ address, key, env });
  }
  const open = (): Promise<Sql> => connect(address, { readsArrays: false });
  return new DatabaseTarget(await open(), { reconnect: open });
}
