// The one place where text becomes bytes of a terminal: every control character is neutralised except the colours that
// this process painted itself. Those carry a mark that no transcript and no file name can know.
import { neutralise } from '../../base/hostile-text.ts';
import type { Style } from './style.ts';

/** `style` painted the text; without one it has no colours of ours. */
export function safeText(text: string, style?: Pick<Style, 'enabled' | 'mark'>): string {
  if (style?.enabled !== true || !text.includes('\x1b')) return neutralise(text);
  const own = new RegExp(`\\x1b\\[${style.mark}(\\d{1,2})m`, 'g');
  const parts: string[] = [];
  let copied = 0;
  for (const { 0: whole, 1: code, index } of text.matchAll(own)) {
    parts.push(neutralise(text.slice(copied, index)), `\x1b[${code}m`);
    copied = index + whole.length;
  }
  parts.push(neutralise(text.slice(copied)));
  return parts.join('');
}
