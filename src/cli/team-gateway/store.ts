// The store of a call: `--to`, or the one that is set up. An address on the command line is visible to other users of the
// machine, so one with a password belongs into CLEW_STORE or team.json.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { readTeamConfig } from '../../team/config/index.ts';
import { connect, type Sql, storeError } from '../../team/database/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';

export async function withStore<T>(
  input: CommandInput,
  connections: number,
  work: (sql: Sql, address: string) => Promise<T>,
): Promise<T> {
  const address = textFlag(input.flags, 'to') ?? readTeamConfig(input.io.env).store;
  if (address === undefined) throw new UserError('no store is set up', 'add --to postgres://USER@HOST/DATABASE');
  const sql = await connect(address, { connections });
  try {
    return await work(sql, address);
  } catch (error) {
    throw aboutKeys(storeError(error, address));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The tables of keys and batches are the administrator's. */
function aboutKeys(error: unknown): unknown {
  if (!(error instanceof UserError) || !/may not do this/.test(error.message)) return error;
  return new UserError(
    'this role may not do this',
    'a gateway needs the role clew_gateway, its keys and its status the owner of the store',
    exitCodes.failed,
    { cause: error },
  );
}
