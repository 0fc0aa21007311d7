// Parses a rule of settings.json or a flag, `Tool` or `Tool(specifier)`. A text that is not a rule becomes a notice. A
// deny rule that is not understood denies the whole tool; an allow rule that is not understood allows nothing.
import type { Confinement } from '../contract/index.ts';

export type RuleKind = 'deny' | 'ask' | 'allow';

export interface Rule {
  readonly kind: RuleKind;
  readonly text: string;
  readonly tool: string;
  /** `undefined`: every use of the tool. */
  readonly specifier: string | undefined;
  /** Named in the reason for the user. */
  readonly source: string;
}

export function parseRule(text: string, kind: RuleKind, source: string): Rule | undefined {
  const match = /^([A-Za-z*][\w.:*-]*?)(?:\(([\s\S]*)\))?$/.exec(text.trim());
  const tool = match?.[1];
  if (tool === undefined) return undefined;
  const specifier = match?.[2]?.trim();
  const isWhole = specifier === undefined || specifier === '' || specifier === '*' || specifier === ':*';
  return {
    kind,
    text: text.trim(),
    tool: tool === 'Agent' ? 'Task' : tool,
    specifier: isWhole ? undefined : specifier,
    source,
  };
}

export interface Ruling {
  readonly kind: 'deny' | 'ask' | 'allow';
  /** Changes nothing, so plan mode allows it. */
  readonly isRead: boolean;
  readonly why: string;
  /** Rules that, together with those of the other parts, would have allowed it. */
  readonly offers: readonly string[];
  /** For commands; `open` if absent. */
  readonly confinement?: Confinement;
  /** The user wrote a rule to be asked. */
  readonly isAskedByRule?: true;
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

export function combineRulings(rulings: readonly Ruling[]): Ruling {
  const kind = rulings.reduce<Ruling['kind']>(
    (worst, { kind }) => (strictness[kind] > strictness[worst] ? kind : worst),
    'allow',
  );
  const deciding = rulings.filter((ruling) => ruling.kind === kind);
  const reasons = [...new Set(deciding.map(({ why }) => why))];
  const why = kind === 'ask' ? reasons.slice(0, 3).join('; ') : (reasons[0] ?? 'there is nothing to run');
  const canOffer = kind === 'ask' && deciding.every(({ offers }) => offers.length > 0);
  return {
    kind,
    isRead: rulings.every(({ isRead }) => isRead),
    why,
    offers: canOffer ? [...new Set(deciding.flatMap(({ offers }) => offers))] : [],
    ...(deciding.some(({ isAskedByRule }) => isAskedByRule) ? { isAskedByRule: true } : {}),
  };
}

export function allow(why: string, isRead: boolean): Ruling {
  return { kind: 'allow', isRead, why, offers: [] };
}

export function ask(why: string, isRead: boolean, offers: readonly string[] = []): Ruling {
  return { kind: 'ask', isRead, why, offers };
}

export function deny(why: string): Ruling {
  return { kind: 'deny', isRead: false, why, offers: [] };
}

export function fromRule({ kind, text, source }: Rule, what: string, isRead: boolean): Ruling {
  if (kind === 'deny') return deny(`${what} is denied by the rule ${text} (${source})`);
  if (kind === 'ask') return { ...ask(`the rule ${text} (${source}) asks for ${what}`, isRead), isAskedByRule: true };
  return allow(`the rule ${text} (${source}) allows it`, isRead);
}
