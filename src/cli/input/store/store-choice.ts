// --store, --person, --group and --everyone → the store that a command reads and whose sessions, or nothing if the command reads
// this machine.
import { UserError } from '../../../base/errors/index.ts';
import type { PeopleChoice, StoreChoice } from '../../../team/source/index.ts';
import { type CommandInput, textFlag } from '../../command/index.ts';

export type { StoreChoice };

const peopleFlags = ['person', 'group', 'everyone'] as const;

/** `undefined` without `--store`. The code of the store is loaded only with it. */
export async function storeChoice({ flags, io }: Pick<CommandInput, 'flags' | 'io'>): Promise<StoreChoice | undefined> {
  const given = peopleFlags.filter((name) => flags[name] !== undefined && flags[name] !== false);
  if (flags.store === undefined || flags.store === false) {
    if (given[0] !== undefined) throw new UserError(`--${given[0]} is for the team's store`, 'add --store');
    return undefined;
  }
  const [first, second] = given;
  if (second !== undefined) throw new UserError(`--${first} and --${second} exclude each other`, 'use one of them');
  refuseWithStore({ flags }, { root: 'the store has no folders', demo: 'the demo sessions are on this machine' });
  return { address: await addressOf(textFlag(flags, 'store') ?? '', io.env), people: peopleOf(flags, first) };
}

/** Flags that make no sense with `--store`, with the reason. */
export function refuseWithStore(
  { flags }: Pick<CommandInput, 'flags'>,
  reasons: Readonly<Record<string, string>>,
): void {
  if (flags.store === undefined || flags.store === false) return;
  for (const [name, reason] of Object.entries(reasons)) {
    const value = flags[name];
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
    if (isGiven) throw new UserError(`--${name} does not work with --store: ${reason}`, `leave out --${name}`);
  }
}

/** What to do next if nothing is found: `local` is for this machine. */
export function nextStep({ store }: CommandInput['flags'], local: string): string {
  return store === undefined || store === false ? local : '`clew push` sends sessions there';
}

async function addressOf(typed: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { isGatewayAddress, readTeamConfig, teamConfigPath } = await import('../../../team/config/index.ts');
  const address = typed === '' ? readTeamConfig(env).store : typed;
  if (address === undefined)
    throw new UserError(
      'there is no store to read',
      `give --store postgres://USER@HOST/DATABASE, or write it into ${teamConfigPath(env)}`,
    );
  if (isGatewayAddress(address))
    throw new UserError('a gateway takes pushes only', 'read the store with --store postgres://USER@HOST/DATABASE');
  return address;
}

function peopleOf(flags: CommandInput['flags'], given: (typeof peopleFlags)[number] | undefined): PeopleChoice {
  if (given === undefined) return { kind: 'me' };
  if (given === 'everyone') return { kind: 'everyone' };
  const name = textFlag(flags, given)?.trim() ?? '';
  if (name === '') throw new UserError(`--${given} is empty`, `give --${given} a name`);
  return { kind: given, name };
}
