// Replaces `${NAME}` and `${NAME:-default}` in a server's configuration. A missing variable without a default is
// reported: a server that got the bare `${TOKEN}` would fail later with a worse message.

export interface Expansion {
  readonly text: string;
  readonly missing: readonly string[];
}

export function expandVariables(text: string, env: NodeJS.ProcessEnv): Expansion {
  const missing: string[] = [];
  const expanded = text.replace(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (whole, name: string, fallback: string | undefined) => {
      const value = env[name];
      // As in a shell, `:-` also replaces an empty value.
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      missing.push(name);
      return whole;
    },
  );
  return { text: expanded, missing };
}
