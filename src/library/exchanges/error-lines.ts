// The output of a command → its lines that report an error: what a user remembers of a failure, and searches for later.

const errorWord =
  /\b(?:error|errors|exception|traceback|panic(?:ked)?|fatal|failed|failure|failing|cannot|can't|could not|unable to|denied|not found|undefined|unexpected|invalid|E[A-Z]{3,12}|[A-Z]{1,4}\d{3,5})\b|Error\b|Exception\b|✗|✘|FAIL/;
const quickLook =
  /error|exception|traceback|panic|fatal|fail|cannot|can't|could not|unable|denied|not found|undefined|unexpected|invalid|✗|✘/i;
/** Of a long output: its beginning and its end. */
const lookChars = 6000;
const mostLines = 12;
const longestLine = 240;

/** At most a dozen lines; empty where none reports an error. */
export function errorLines(output: string): string {
  const text = output.length <= 2 * lookChars ? output : `${output.slice(0, lookChars)}\n${output.slice(-lookChars)}`;
  if (!quickLook.test(text)) return '';
  const found: string[] = [];
  for (const line of text.split('\n')) {
    if (!errorWord.test(line)) continue;
    found.push(line.trim().slice(0, longestLine));
    if (found.length === mostLines) break;
  }
  return found.join('\n');
}
