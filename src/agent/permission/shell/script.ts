// The text of a Bash call as the permission judge sees it: every simple command in it, however deep, and everything
// about it that makes its effect unknowable before it runs.

export interface ShellScript {
  /** In the order of the text; those inside substitutions come before the command that uses them. */
  readonly commands: readonly ShellCommand[];
  /** Why a person should look, as ends of a sentence: "it uses command substitution". */
  readonly doubts: readonly string[];
  /** Without `||`, `!` and braces: what follows `&&` runs only where all before it in its chain has succeeded. */
  readonly isStraight: boolean;
  /** Longer or deeper than is read: there may be commands that are not listed. */
  readonly isCut: boolean;
}

export interface ShellCommand {
  /** The same for commands that only `&&` joins. */
  readonly chain?: number;
  readonly assignments: readonly Assignment[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirect[];
}

export interface Assignment {
  readonly name: string;
  readonly word: ShellWord;
}

export interface Redirect {
  readonly kind: 'read' | 'write';
  readonly target: ShellWord;
}

export interface ShellWord {
  /** As written. */
  readonly raw: string;
  /** Without quotes and escapes; what the shell would replace stays as written. */
  readonly value: string;
  /** What the shell replaces before the command sees the word. */
  readonly expands: ReadonlySet<Expansion>;
}

export type Expansion = 'variable' | 'glob' | 'brace' | 'tilde' | 'command';

/** The command sees exactly `value`. */
export function isLiteral(word: ShellWord): boolean {
  return word.expands.size === 0;
}

export function literalWord(value: string): ShellWord {
  return { raw: value, value, expands: new Set() };
}
