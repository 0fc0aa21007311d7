// The options of an action as its dialog fills them in: what it starts with, and what is missing.
import type { ActionOptions, ActionOptionView, ActionView } from '../../../wire/index.ts';

export function withOption(
  options: ActionOptions,
  name: ActionOptionView['name'],
  value: string | number | boolean | undefined,
): ActionOptions {
  const { [name]: _, ...rest } = options;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** What an action starts with: its needed options, and a useful choice. */
export function firstOptions(action: ActionView, given: ActionOptions, title: string | null): ActionOptions {
  const choice = action.needsOneOf?.find((name) => suggestedOf(action, name) !== undefined);
  const suggested = action.options.flatMap(({ name, isNeeded, suggested: value }) =>
    value !== undefined && (isNeeded === true || name === choice) ? [[name, value] as const] : [],
  );
  return {
    ...Object.fromEntries(suggested),
    ...(action.name === 'rename' && title !== null ? { title } : {}),
    ...(action.name === 'tag' ? { tag: '' } : {}),
    ...given,
  };
}

function suggestedOf(action: ActionView, name: string): string | number | undefined {
  return action.options.find((option) => option.name === name)?.suggested;
}

/** What is still missing, as a sentence; `null` if the dry run can start. */
export function missingOption(action: ActionView, options: ActionOptions): string | null {
  const missing = action.options.find(({ name, isNeeded }) => isNeeded === true && options[name] === undefined);
  if (missing !== undefined) return `${missing.title} is needed.`;
  const hasOne = action.needsOneOf?.some((name) => options[name] !== undefined && options[name] !== false) ?? true;
  return hasOne ? null : 'Choose what to remove.';
}
