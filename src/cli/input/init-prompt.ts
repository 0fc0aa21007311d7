// What `/init` asks the model for, in the chat and in `clew -p`.

export const initPrompt: string = `Write the file CLAUDE.md for this project, so that a coding agent can work in it without reading everything first.

Look at the project before you write: its README and other documentation, the manifest files and scripts, the configuration of the build, the tests, the linter and the formatter, and enough of the source to understand how it is organised. If there are instructions for other tools (AGENTS.md, .cursorrules, .cursor/rules, .github/copilot-instructions.md), take over what is still true.

Put these into it, each only if it is true here:
- the commands to install, build, run, lint and test, also for a single test
- how the sources are organised: the parts that one has to read several files to understand, not a list of all files
- rules of this project that differ from what everybody does anyway: style, names, commits, what must not be changed
- traps that cost time: required services, environment variables, generated files, slow steps

Keep it short, at most about 100 lines. Leave out general advice, anything that one sees at a glance, and anything that you have not checked. If CLAUDE.md exists already, improve it instead of replacing it, and say what you changed.`;
