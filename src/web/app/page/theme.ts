// Light or dark, from the system or chosen by the user. The dark colours are in one media query; a choice changes its
// condition.

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'clew-theme';
const query = '(prefers-color-scheme: dark)';
const conditions: Readonly<Record<Theme, string>> = { system: query, light: 'not all', dark: 'all' };
const darkRules: CSSMediaRule[] = [];

export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? 'system';
  } catch {
    return 'system'; // storage is disabled
  }
}

export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // storage is disabled: the choice lasts as long as the page
  }
  applyTheme(theme);
}

export function applyTheme(theme: Theme): void {
  if (darkRules.length === 0) darkRules.push(...findDarkRules());
  for (const rule of darkRules) rule.media.mediaText = conditions[theme];
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}

function findDarkRules(): readonly CSSMediaRule[] {
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && rule.media.mediaText === query);
}
