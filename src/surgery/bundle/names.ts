// The name of a file in a bundle, or of one that a rewind would write → whether it stays in its folder on every system, and
// why a program would run or obey it. The writer of a bundle is not trusted, so what is not an ordinary name is left out.

/** Whether `name` is safe as a part of a path on any system. */
export function isPlainPart(name: string): boolean {
  const isShort = Buffer.byteLength(name) <= 255;
  return isShort && plainPart.test(name) && !/^\.+$|[. ]$/.test(name) && !deviceName.test(name);
}

/**
 * No separator, drive, stream or control character, and nothing that is not seen: HFS+ ignores some of these characters, so
 * that `.g<U+200C>it` is `.git`.
 */
const plainPart = /^[^\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+$/u;
/** Windows opens a device instead of a file, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\.|$)/i;

/** Relative names belong to the project. */
export function isOutside(file: string): boolean {
  return /^(?:[\\/~]|[A-Za-z]:)/.test(file) || leadsUp(file) || file.includes('\0');
}

export function leadsUp(file: string): boolean {
  return file.split(/[\\/]/).includes('..');
}

/** A name that other systems read as another one, such as `a//b`, `./a`, `a.` or `a:b`. */
export function isOddName(file: string): boolean {
  return Buffer.byteLength(file) > 1024 || !file.split(/[\\/]/).every(isPlainPart);
}

/**
 * Why a program would run the file or take settings from it although nobody asked for this file; `undefined` for other
 * files, such as the project's own sources.
 */
export function whyActive(file: string): string | undefined {
  const parts = file.split(/[\\/]/).map(foldPart);
  const last = parts.at(-1) ?? '';
  if (parts.some((part) => part.startsWith('.'))) return 'hidden, like settings and hooks';
  if (parts.some((part) => /~\d/.test(part))) return 'a short name of Windows, which may be any file';
  if (parts.some((part) => packageFolders.has(part))) return 'part of an installed package';
  return fileClasses.find(({ names, pattern }) => names?.has(last) === true || pattern?.test(last) === true)?.why;
}

/** As the most lenient system compares names: without case, composition and width, invisible characters and final dots. */
export function foldPart(part: string): string {
  return part
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?<=[^. ])[. ]+$/, '');
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const packageFolders = words('node_modules bower_components site-packages __pycache__');

interface FileClass {
  readonly why: string;
  readonly names?: ReadonlySet<string>;
  readonly pattern?: RegExp;
}

/** Names that begin with a dot are one class of their own, see `whyActive`. All are in the form of `foldPart`. */
const fileClasses: readonly FileClass[] = [
  {
    why: 'instructions that an agent reads on its own',
    pattern: /^(?:claude|agents?|gemini|qwen|codex|warp|copilot-instructions|conventions|skill|memory)(?:\..+)?\.md$/,
  },
  {
    // Git takes a folder with these for a repository, whose settings name programs.
    why: 'part of a git repository',
    names: words('head config commondir gitdir'),
  },
  {
    why: 'a file that a package manager or a build runs',
    names: words(`
      package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock bun.lockb
      bunfig.toml deno.json deno.jsonc deno.lock binding.gyp lerna.json nx.json turbo.json
      makefile gnumakefile justfile taskfile.yml taskfile.yaml rakefile gemfile gemfile.lock podfile fastfile brewfile
      vagrantfile procfile tiltfile earthfile jenkinsfile sconstruct sconscript wscript configure meson.build build
      workspace module.bazel cmakelists.txt cmakepresets.json cargo.toml cargo.lock build.rs build.zig package.swift
      pom.xml build.xml gradlew mvnw go.mod go.work mix.exs rebar.config dune composer.json
      setup.py setup.cfg pyproject.toml tox.ini noxfile.py conftest.py pytest.ini tasks.py fabfile.py pipfile
      sitecustomize.py usercustomize.py flake.nix shell.nix default.nix devenv.nix lefthook.yml lefthook.yaml
      appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml buildspec.yml cloudbuild.yaml serverless.yml
      netlify.toml vercel.json firebase.json nuget.config web.config global.json
    `),
    pattern:
      /\.(?:mk|mak|bzl|bazel|cmake|gradle|sbt|gemspec|podspec|pth)$|\.gradle\.kts$|^requirements.*\.txt$|^(?:docker)?-?compose.*\.ya?ml$|dockerfile|^(?:gulp|grunt|jake)file\.|\.(?:cs|fs|vb|vcx|xc)proj\b|\.(?:sln|slnx|props|targets)$/,
  },
  {
    why: 'settings of a tool or an editor',
    pattern:
      /\.(?:config|setup|workspace|project)\.(?:[cm]?[jt]sx?|json5?|ya?ml|toml)$|\.code-workspace$|^(?:desktop\.ini|autorun\.inf|config\.fish|fish_variables|crontab|authorized_keys|profile\.ps1|mcp\.json|settings(?:\.local)?\.json|hooks\.json|claude_desktop_config\.json)$/,
  },
  {
    why: 'a program or a shortcut',
    pattern:
      /\.(?:exe|com|bat|cmd|ps1|psm1|psd1|ps1xml|vbs|vbe|jse|wsf|wsh|hta|scr|pif|cpl|lnk|url|msi|msc|reg|scf|inf|desktop|service|timer|plist|app|command|workflow|jar|class|pyc|pyo|pyd|dll|so|dylib|node)$|\.so\.\d/,
  },
];
