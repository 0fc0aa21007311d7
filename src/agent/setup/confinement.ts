// Settings → the judge of all calls and the sandbox that commands run in.
import { homedir } from 'node:os';
import path from 'node:path';
import type { AgentOptions, RuleText, Sandbox } from '../contract/index.ts';
import { type Judge, makeJudge } from '../permission/index.ts';
import {
  findMechanism,
  makeSandbox,
  noMechanism,
  readSandboxSettings,
  type SandboxSettings,
} from '../sandbox/index.ts';
import type { Settings } from '../settings/index.ts';

export interface ConfinementOptions extends Pick<AgentOptions, 'cwd' | 'root'> {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  /** These two change while the agent runs. */
  readonly extraDirs: readonly string[];
  readonly readableDirs: readonly string[];
  readonly keepLocalRule: (rule: string) => Promise<void>;
}

export interface Confinement {
  readonly judge: Judge;
  readonly sandbox: Sandbox;
}

export function makeConfinement(options: ConfinementOptions): Confinement {
  const { cwd, root, settings, env, extraDirs, readableDirs, keepLocalRule } = options;
  const home = homedir();
  const confining = readSandboxSettings(settings.files);
  const { domains, allowWrite } = confining;
  const mechanism = confining.isEnabled ? findMechanism(env) : noMechanism;
  const isAvailable = mechanism.kind !== 'none';
  const hasNetwork = mechanism.kind === 'bubblewrap' && domains.allowed.length > 0;
  const common = { projectDir: cwd, home, root, extraDirs };
  const judge = makeJudge({
    ...common,
    readableDirs,
    sandbox: { ...confining, isAvailable, hasNetwork },
    rules: [...settings.rules, ...credentialRules(root), ...sandboxRules(confining, isAvailable)],
    keepLocalRule,
  });
  const sandbox = makeSandbox({
    ...common,
    policy: judge.policy,
    mechanism,
    domains,
    allowWrite: allowWrite.map((dir) => path.resolve(cwd, dir.replace(/^~(?=\/|$)/, home))),
  });
  return { judge, sandbox };
}

/** Denied in every mode: the key belongs in a header, never in a message. */
function credentialRules(root: string): readonly RuleText[] {
  const file = path.join(path.resolve(root), '.credentials.json');
  return /[()]/.test(file) ? [] : [{ kind: 'deny', text: `Read(/${file})`, source: 'Clew itself' }];
}

function sandboxRules({ deny, isRequired }: SandboxSettings, isAvailable: boolean): readonly RuleText[] {
  const texts = isRequired && !isAvailable ? [...deny, 'Bash'] : deny;
  return texts.map((text) => ({ kind: 'deny', text, source: 'sandbox settings' }));
}
