// A shell command of the user → the texts of its two user lines, as client 2.1.325 writes them (measured): the command as
// it was typed; its output, escaped, as standard output if it succeeded and as standard error if not.
import type { ShellReport } from '../contract/index.ts';

export function shellInput(command: string): string {
  return `<bash-input>${command}</bash-input>`;
}

export function shellOutput({ exitCode, output, isInterrupted, keptCwd }: ShellReport): string {
  const text = escapeOutput(output);
  const kept = keptCwd === undefined ? '' : `\nShell cwd was reset to ${escapeOutput(keptCwd)}`;
  if (isInterrupted) return tagged(text, 'The user interrupted the command.');
  if (exitCode !== 0) return tagged('', `${text === '' ? `Exit code ${exitCode}` : text}\n${kept}`);
  return tagged(text === '' ? '(Bash completed with no output)' : text, kept);
}

function tagged(stdout: string, stderr: string): string {
  return `<bash-stdout>${stdout}</bash-stdout><bash-stderr>${stderr}</bash-stderr>`;
}

/** The output cannot end its own tag. The note about a long output keeps its tags. */
function escapeOutput(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(
    /^&lt;persisted-output&gt;([\s\S]*)&lt;\/persisted-output&gt;$/,
    '<persisted-output>$1</persisted-output>',
  );
}
