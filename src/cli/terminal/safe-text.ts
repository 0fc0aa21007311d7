// Makes text safe for a terminal: neutralises every control character except the colours of this process, which carry a
// mark that no transcript or file name can contain.
import { neutralise } from '../../base/text/hostile-text.ts';
import type { Style } from './style.ts';

/** `style`: the one that painted the text. */
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
