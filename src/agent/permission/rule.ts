// Parses a rule of settings.json or a flag, `Tool` or `Tool(specifier)`. A text that is not a rule becomes a notice. A
// deny rule that is not understood denies the whole tool; an allow rule that is not understood allows nothing.

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
