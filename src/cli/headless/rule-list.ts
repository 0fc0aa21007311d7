// Splits the values of --allowedTools into rules, at commas and spaces outside of parentheses, as Claude Code does.

export function splitRules(words: readonly string[]): readonly string[] {
  return words.flatMap(splitWord);
}

function splitWord(word: string): string[] {
  const rules: string[] = [];
  let rule = '';
  let depth = 0;
  for (const character of word) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...rules, rule].filter((each) => each !== '');
}
