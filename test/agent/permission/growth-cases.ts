// Commands that the properties of growth.test.ts and growth.slow.test.ts are tried with.

export const commands: readonly string[] = [
  ...[
    'ls',
    'cat src/a.ts',
    'cat /etc/passwd',
    'cat .env',
    'cat ../outside/secret.txt',
    'cat out-link/secret.txt',
    'cat *',
    'pwd',
  ],
  ...[
    'npm test',
    'npm test -- -w',
    'npm run build',
    'rm -rf x',
    '/bin/rm x',
    'git status',
    'git push',
    'git $X',
    'curl x',
    'X=1',
  ],
  ...[
    'cd src',
    'cd ..',
    'cd sub',
    'cd /',
    'cd $X',
    'cat ../README.md',
    'echo $(rm x)',
    'echo `id`',
    'echo "$(cat .env)"',
    'CI=1 npm test',
  ],
  ...[
    'echo a > out',
    'echo a > ../out',
    'echo a > .git/config',
    'mkdir new',
    'cp src/a.ts b',
    'timeout 5 npm test',
    'sudo rm x',
  ],
  ...[
    'bash -c "npm test"',
    'find . -exec rm {} +',
    'xargs npm test',
    'PATH=. npm test',
    'cat <<EOF\nx\nEOF\n',
    'true',
    '',
    'secrets/run',
  ],
];

/** How much a verdict lets through. */
export const freedom = { deny: 0, ask: 1, allow: 2 } as const;
