// `${NAME}` and `${NAME:-default}` in the configuration of a server → the values of the environment. A variable that is
// not set and has no default is told, not sent: a server that got the bare `${TOKEN}` would fail later and say less.

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
      // As in a shell, `:-` also stands in for a value that is empty.
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      missing.push(name);
      return whole;
    },
  );
  return { text: expanded, missing };
}
