// Whether a command plainly needs more than a sandbox gives. Only a courtesy: the person is asked at once instead of after
// a failed try. Safety does not depend on it.
import { nameOf } from './command.ts';
import type { ShellCommand } from './parse.ts';

const network =
  /^(?:(?:curl|wget|ssh|scp|rsync|nc|telnet|ftp|docker|podman|kubectl|sudo|doas|su|apt|apt-get|brew|dnf|yum|systemctl|gh|aws|gcloud|az)(?: |$)|(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|update|upgrade|publish|audit|login|outdated)\b|pip3? install|cargo (?:install|publish)|go (?:get|install)|git (?:push|pull|fetch|clone|submodule|ls-remote))/;
const writing =
  /^(?:(?:rm|mv|cp|mkdir|rmdir|touch|ln|chmod|chown|tee|dd|truncate|install|patch|unlink|shred)(?: |$)|(?:sed|perl) (?:.* )?-\w*i|git (?:add|commit|checkout|switch|merge|rebase|reset|restore|rm|mv|cherry-pick|revert|init|am|apply|clean|gc|stash(?! (?:list|show))|config (?!--get|--list|-l)\S+ \S))/;
const repository =
  /^git (?:add|commit|checkout|switch|merge|rebase|reset|restore|rm|mv|cherry-pick|revert|init|am|stash)/;

export function needsMore(commands: readonly ShellCommand[], canWrite: boolean): string | undefined {
  for (const command of commands) {
    const text = [nameOf(command), ...command.words.slice(1).map(({ value }) => value)].join(' ');
    if (network.test(text)) return `runs ${nameOf(command)}`;
    if ((canWrite ? repository : writing).test(text)) return `runs ${nameOf(command)}`;
    const file = command.redirects.find(
      ({ access, target }) => access === 'write' && !/^\/(?:dev|tmp)\//.test(target.value),
    );
    if (file !== undefined && !canWrite) return `writes ${file.target.raw}`;
  }
  return undefined;
}
