// Environment variables that a project may never set, even if it is trusted: they decide where requests and the key go,
// which programs run, or what is loaded into every program. Case is ignored.

const prefixes = [
  ...[
    'ANTHROPIC_',
    'CLAUDE_',
    'CLEW_',
    'AWS_',
    'GOOGLE_',
    'AZURE_',
    'VERTEX_',
    'CLOUD_ML_',
    'GCLOUD_',
    'OTEL_',
    'LANGFUSE_',
  ],
  // Loaders and the C library.
  ...['LD_', 'DYLD_', 'GCONV_', 'GLIBC_', 'MALLOC_'],
  // Git reads programs (GIT_SSH_COMMAND, GIT_PAGER, …) and settings (GIT_CONFIG_KEY_0) from its variables.
  'GIT_',
  // Shells.
  ...['BASH', 'ZDOTDIR', 'PROMPT_COMMAND', 'FPATH', 'FCEDIT'],
  // Interpreters and build tools: start files, options, module paths, wrappers.
  ...['PYTHON', 'PERL', 'RUBY', 'GEM_', 'BUNDLE_', 'PHP', 'LUA_', 'JAVA_', '_JAVA_', 'JDK_JAVA_', 'TCL', 'R_'],
  ...['NPM_', 'YARN_', 'PNPM_', 'COREPACK_', 'BUN_', 'DENO_', 'PIP_', 'UV_', 'POETRY_', 'CONDA_'],
  ...['CARGO', 'RUSTC', 'RUSTUP_', 'RUSTDOC', 'CMAKE_', 'MAKE', 'GNUMAKE', 'MAVEN_', 'GRADLE_', 'DOTNET_', 'MSBUILD'],
  // Pagers and editors.
  ...['LESS', 'MANPAGER', 'VIM', 'EMACS'],
  // Locations of settings, certificates and helpers.
  ...['XDG_', 'SSH_', 'SUDO_', 'GPG_', 'GNUPG', 'SSL_', 'OPENSSL_', 'CURL_', 'DOCKER_', 'KUBE'],
] as const;

const names: ReadonlySet<string> = new Set([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY', 'API_TIMEOUT_MS'],
  ...['PATH', 'CDPATH', 'HOME', 'SHELL', 'SHELLOPTS', 'ENV', 'IFS', 'PS0', 'PS1', 'PS2', 'PS3', 'PS4', 'INPUTRC'],
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_REPL_EXTERNAL_MODULE'],
  ...[
    'NODE_V8_COVERAGE',
    'NODE_COMPILE_CACHE',
    'VIRTUAL_ENV',
    'RIPGREP_CONFIG_PATH',
    'GREP_OPTIONS',
    'TAR_OPTIONS',
    'UNZIP',
    'ZIPOPT',
  ],
  ...['EDITOR', 'VISUAL', 'PAGER', 'BROWSER', 'EXINIT', 'CC', 'CXX', 'CPP', 'LD', 'AR', 'AS', 'GOFLAGS', 'GOROOT'],
  ...['GOPROXY', 'GOENV', 'AWKPATH', 'AWKLIBPATH', 'WGETRC', 'REQUESTS_CA_BUNDLE', 'NETRC', 'HOSTALIASES', 'TERMINFO'],
  ...['LOCPATH', 'NLSPATH', 'RESOLV_HOST_CONF', 'SBT_OPTS', 'JVM_OPTS', 'TMPDIR'],
]);

/** Variables of the connection to the model, which the user's own local file may set, as Claude Code reads them there. */
const connection =
  /^(?:ANTHROPIC_|AWS_|GOOGLE_|VERTEX_|CLOUD_ML_|GCLOUD_|CLAUDE_CODE_(?:API_KEY_HELPER|CLIENT_|USE_|SKIP_|PROXY_|SUBAGENT_MODEL$|MAX_)|(?:HTTPS?|ALL|NO)_PROXY$|NODE_EXTRA_CA_CERTS$|API_TIMEOUT_MS$)/i;

export function isConnectionVariable(name: string): boolean {
  return connection.test(name);
}

export function isGuardedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return names.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix));
}
