// Flags of `clew -p` and `clew chat` about thinking, effort and fallback models.
import type { Flag } from '../command/index.ts';

export const modelFlags: readonly Flag[] = [
  { name: '--effort', value: 'LEVEL', summary: 'how much work an answer may take: low, medium, high, xhigh or max' },
  { name: '--thinking', value: 'MODE', summary: 'adaptive, enabled or disabled; some models always think' },
  { name: '--max-thinking-tokens', value: 'N', summary: 'limit thinking, on models with a budget; 0 disables it' },
  { name: '--thinking-display', value: 'KIND', summary: 'summarized or omitted (default)' },
  { name: '--fallback-model', value: 'MODEL,...', summary: 'use these while the model is overloaded, in this order' },
];
