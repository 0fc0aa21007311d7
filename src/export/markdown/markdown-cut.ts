// A long output → its beginning and its end, with a note of how much is left out between them: a page is for reading,
// and `--full` or the transcript has the rest.
import { formatCount } from '../../base/text/human.ts';

const headLines = 40;
const tailLines = 10;
const lineChars = 500;

export function shortened(text: string, full: boolean): string {
  if (full) return text;
  const lines = text.split('\n');
  const left = lines.length - headLines - tailLines;
  // Leaving out a line or two would save nothing.
  if (left < 5) return lines.map(shortLine).join('\n');
  const note = `… ${formatCount(left)} lines left out …`;
  return [...lines.slice(0, headLines).map(shortLine), note, ...lines.slice(-tailLines).map(shortLine)].join('\n');
}

function shortLine(line: string): string {
  if (line.length <= lineChars + 100) return line;
  return `${line.slice(0, lineChars)} … ${formatCount(line.length - lineChars)} characters left out`;
}
