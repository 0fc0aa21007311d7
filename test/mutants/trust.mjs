// Trust: nothing that a folder brings takes effect before a person accepted it, and they see all of it.
const settings = 'src/agent/settings.ts';
const acceptance = 'src/agent/trust/acceptance.ts';
const offer = 'src/agent/trust/offer.ts';

export const mutants = [
  {
    id: 'settings-count-without-acceptance',
    file: settings,
    find: 'if (isOwn || isProjectTrusted) return values;',
    replace: 'if (isOwn || isProjectTrusted || true) return values;',
    tests: ['agent/settings'],
  },
  {
    id: 'tracked-local-settings-are-own',
    file: settings,
    find: "['check-ignore', '--quiet', '--', file]",
    replace: "['check-ignore', '--no-index', '--quiet', '--', file]",
    tests: ['agent/settings'],
  },
  {
    id: 'linked-local-settings-are-own',
    file: settings,
    find: 'if (!stats.isFile() || stats.uid',
    replace: 'if (stats.uid',
    tests: ['agent/settings'],
  },
  {
    id: 'local-settings-set-programs',
    file: settings,
    find: "return scope === 'project' || scope === 'local';",
    replace: "return scope === 'project';",
    tests: ['agent/settings'],
  },
  {
    id: 'names-of-variables-have-case',
    file: 'src/agent/guarded-variable.ts',
    find: 'const upper = name.toUpperCase();',
    replace: 'const upper = name;',
    tests: ['agent/settings'],
  },
  {
    id: 'servers-start-without-acceptance',
    file: 'src/agent/mcp/config.ts',
    find: 'options.isProjectTrusted ? await readJsonFile(projectFile, notices) : undefined',
    replace: 'await readJsonFile(projectFile, notices)',
    tests: ['agent/trust'],
  },
  {
    id: 'skills-load-without-acceptance',
    file: 'src/agent/context/command.ts',
    find: 'isProjectTrusted ? await loadProjectCommands(options.cwd) : nothing',
    replace: 'isProjectTrusted || true ? await loadProjectCommands(options.cwd) : nothing',
    tests: ['agent/trust'],
  },
  {
    id: 'agents-load-without-acceptance',
    file: 'src/agent/context/agent-definition.ts',
    find: 'options.isProjectTrusted ? await',
    replace: 'options.isProjectTrusted || true ? await',
    tests: ['agent/context/agent-definition'],
  },
  {
    id: 'links-lead-out',
    file: 'src/agent/context/definition-files.ts',
    find: 'if (await isInside(each.file, [project]))',
    replace: 'if ((await isInside(each.file, [project])) || true)',
    tests: ['agent/context/command'],
  },
  {
    id: 'any-record-accepts',
    file: acceptance,
    find: 'own?.folder === folder',
    replace: 'own !== undefined',
    tests: ['agent/trust'],
  },
  {
    id: 'any-value-of-the-client-accepts',
    file: acceptance,
    find: '?.hasTrustDialogAccepted === true',
    replace: '?.hasTrustDialogAccepted !== undefined',
    tests: ['agent/trust'],
  },
  {
    id: 'own-files-are-listed',
    file: offer,
    find: '.filter(({ isOwn }) => !isOwn)',
    replace: '.filter(() => true)',
    tests: ['agent/trust'],
  },
  {
    id: 'inline-commands-are-not-listed',
    file: offer,
    find: 'shell.length === 0 ? []',
    replace: 'shell.length >= 0 ? []',
    tests: ['agent/trust'],
  },
  {
    id: 'git-runs-programs-of-the-repository',
    file: 'src/agent/run-git.ts',
    find: "'core.fsmonitor=false', ",
    replace: '',
    tests: ['cli/console/project-files'],
  },
];
