// --rules, --kind and --allow → the rules that find secrets.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { stateFolder } from '../../store/index.ts';
import { loadRuleSet, makeRuleSet, type RuleSet, usualRuleSet } from '../../surgery/secrets/index.ts';
import { type CommandInput, listFlag, textFlag } from '../command/index.ts';

/** The bundled rules and those of `--rules`, by default `redact.json` in Clew's state folder. */
export function rulesArgument({ flags, io }: CommandInput): RuleSet {
  const named = textFlag(flags, 'rules');
  const all = named === undefined ? usualRuleSet(stateFolder(io.env)) : loadRuleSet(path.resolve(io.cwd, named));
  const kinds = listFlag(flags, 'kind').flatMap((kind) => kind.split(','));
  const allowed = new Set(listFlag(flags, 'allow'));
  if (kinds.length === 0 && allowed.size === 0) return all;
  const known = new Set(all.rules.map(({ kind }) => kind));
  const unknown = kinds.find((kind) => !known.has(kind));
  if (unknown !== undefined)
    throw new UserError(`there is no rule for "${unknown}"`, `the kinds are ${[...known].sort().join(', ')}`);
  return makeRuleSet(
    all.rules.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind)),
    (value) => allowed.has(value) || all.allows(value),
  );
}
