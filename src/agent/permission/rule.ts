// A rule of settings.json or of a flag, `Tool` or `Tool(specifier)`, → what it is about. Texts that are no rule become
// notices; a rule that forbids and is not understood forbids the whole tool, one that allows then allows nothing.

export type RuleKind = 'deny' | 'ask' | 'allow';

export interface Rule {
  readonly kind: RuleKind;
  readonly text: string;
  readonly tool: string;
  /** `undefined`: every use of the tool. */
  readonly specifier: string | undefined;
  /** Where it stands, for the reason that a person reads. */
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
