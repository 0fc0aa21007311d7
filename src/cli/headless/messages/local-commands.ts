// The slash commands that the program itself answers without a screen.

export const localCommandNames = ['clear', 'compact', 'context', 'cost', 'usage', 'model'] as const;
export type LocalCommandName = (typeof localCommandNames)[number];
