// clew team grant and revoke: a name, with a login role of the database and a role in the store.
import { UserError } from '../../base/errors/index.ts';
import { type Grant, grant, type RoleName, revoke, roleNames, scramVerifier } from '../../team/admin/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { readStdin } from '../terminal/index.ts';
import { print, withTenant, wordsOf } from './action.ts';

export async function runGrant(input: CommandInput): Promise<void> {
  const { flags } = input;
  const [person = ''] = wordsOf(input, 'grant', 'PERSON');
  const role = roleFlag(input);
  if (role === undefined && (flags.login !== undefined || flags['password-stdin'] === true))
    throw new UserError('a login needs a role', `add --role ${roleNames.join('|')}`);
  const wish = {
    person: checkedName(person, 'PERSON'),
    role,
    login: checkedLogin(textFlag(flags, 'login')),
    group: textFlag(flags, 'group'),
    verifier: flags['password-stdin'] === true ? scramVerifier((await readStdin()).replace(/\r?\n$/, '')) : undefined,
  };
  const done = await withTenant(input, (sql, tenant) => grant(sql, tenant, wish));
  await print(input, done, grantLines(done));
}

export function roleFlag({ flags }: CommandInput): RoleName | undefined {
  const value = textFlag(flags, 'role');
  if (value === undefined) return undefined;
  const role = roleNames.find((each) => each === value);
  if (role === undefined) throw new UserError(`there is no role "${value}"`, `use ${roleNames.join(', ')}`);
  return role;
}

export function checkedName(name: string, what: string): string {
  if (name.trim() === '' || name !== name.trim() || /\p{Cc}/u.test(name) || name.length > 200)
    throw new UserError(`${what} is empty, too long, or has spaces around it`, 'give a name');
  return name;
}

/** PostgreSQL cuts longer names, and the cut name may be another role. */
function checkedLogin(login: string | undefined): string | undefined {
  if (login !== undefined && Buffer.byteLength(login) > 63)
    throw new UserError('the name of a role has at most 63 bytes', 'choose a shorter --login');
  return login === undefined ? undefined : checkedName(login, '--login');
}

function grantLines({ person, login, roles, isNewLogin }: Grant): readonly string[] {
  if (login === null) return [`${person} has no login, and pushes through a gateway`];
  const password = isNewLogin ? '; a password: --password-stdin, or as your server knows its users' : '';
  return [
    `${person} is ${roles.join(' and ')}, with the login role ${login}${isNewLogin ? ', which is new' : ''}${password}`,
  ];
}

/** What the person pushed stays. */
export async function runRevoke(input: CommandInput): Promise<void> {
  const [person = ''] = wordsOf(input, 'revoke', 'PERSON');
  const { login, roles } = await withTenant(input, (sql, tenant) => revoke(sql, tenant, person, roleFlag(input)));
  const left =
    login === null ? `${person} has no access; what ${person} pushed stays, clew team forget removes it` : '';
  await print(input, { person, login, roles }, [left || `${person} is still ${roles.join(' and ')}`]);
}
