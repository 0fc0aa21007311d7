// Redact: every rule finds its secret in every writing, a value has one placeholder, nothing else changes, and no copy
// is left over.
const find = 'src/surgery/secrets/find.ts';
const checks = 'src/surgery/secrets/value-checks.ts';
const scanner = 'src/surgery/secrets/keyword-scanner.ts';
const placeholders = 'src/surgery/secrets/placeholders.ts';
const view = 'src/surgery/secrets/view.ts';
const kept = 'src/surgery/secrets/kept-values.ts';
const names = 'src/surgery/secrets/safe-names.ts';
const excerpt = 'src/surgery/secrets/excerpt.ts';
const redactor = 'src/surgery/redactor.ts';
const redact = 'src/surgery/redact.ts';
const elsewhere = 'src/surgery/redact-elsewhere.ts';
const archive = 'src/surgery/redact-archive.ts';
const service = 'src/surgery/secrets/rules-service.ts';
const table = ['surgery/secrets/secret-table'];
const claims = ['surgery/secrets/claims'];
const bytes = ['surgery/redactor'];
const session = ['surgery/redact'];

export const mutants = [
  // Rules
  {
    id: 'rule-never-tried',
    file: 'src/surgery/secrets/rules-platform.ts',
    find: "['render-api-key', 'Render API key', 'rnd_'",
    replace: "['render-api-key', 'Render API key', 'no-such-keyword'",
    tests: table,
  },
  {
    id: 'rules-of-headers-removed',
    file: 'src/surgery/secrets/rules-place.ts',
    find: '...addressRules, ...headerRules, ...fileRules]',
    replace: '...addressRules, ...fileRules]',
    tests: table,
  },
  {
    id: 'keyword-removed-ghr',
    file: service,
    find: 'ghp_ gho_ ghu_ ghs_ ghr_',
    replace: 'ghp_ gho_ ghu_ ghs_',
    tests: table,
  },
  {
    id: 'token-one-shorter',
    file: service,
    find: "'nuget-key', 'NuGet key', 'oy2', 'oy2[a-z0-9]{43}'",
    replace: "'nuget-key', 'NuGet key', 'oy2', 'oy2[a-z0-9]{44}'",
    tests: table,
  },
  {
    id: 'token-goes-on',
    file: 'src/surgery/secrets/rule.ts',
    find: '(?![A-Za-z0-9_])`',
    replace: '`',
    tests: claims,
  },
  // What can be a secret
  {
    id: 'entropy-form',
    file: checks,
    find: '(value.length < 24 ? 2.5 : 3)',
    replace: '(value.length < 24 ? 2 : 2)',
    tests: ['surgery/secrets/value-checks'],
  },
  {
    id: 'password-length',
    file: checks,
    find: 'value.length >= 4 &&',
    replace: 'value.length > 4 &&',
    tests: ['surgery/secrets/value-checks'],
  },
  {
    id: 'uuid-is-a-secret',
    file: checks,
    find: '    isUuid(value) ||',
    replace: '',
    tests: ['surgery/secrets/value-checks'],
  },
  {
    id: 'env-words-denied',
    file: 'src/surgery/secrets/rules-named.ts',
    find: 'check: looksLikeEnvSecret,',
    replace: 'check: looksLikeSecret,',
    tests: table,
  },
  // Finding
  {
    id: 'scanner-first-of-bucket',
    file: scanner,
    find: 'buckets[bucket] as readonly Entry<T>[]',
    replace: '(buckets[bucket] as readonly Entry<T>[]).slice(0, 1)',
    tests: ['surgery/secrets/keyword-scanner'],
  },
  {
    id: 'scanner-exact-always',
    file: scanner,
    find: 'if (exact || fold(code)',
    replace: 'if (true || fold(code)',
    tests: ['surgery/secrets/keyword-scanner'],
  },
  {
    id: 'views-only-outermost',
    file: find,
    find: 'const views = viewsOf(text);',
    replace: 'const views = viewsOf(text).slice(0, 1);',
    tests: table,
  },
  {
    id: 'union-cut-short',
    file: find,
    find: 'const end = Math.max(first.end, second.end);',
    replace: 'const end = first.end;',
    tests: claims,
  },
  {
    id: 'rank-reversed',
    file: find,
    find: 'second.rank > first.rank ? second : first',
    replace: 'second.rank > first.rank ? first : second',
    tests: claims,
  },
  {
    id: 'window-edge-cut',
    file: find,
    find: 'if (!cutLeft && !cutRight) this.onMatch',
    replace: 'this.onMatch',
    tests: claims,
  },
  {
    id: 'window-skipped',
    file: find,
    find: 'Math.max(0, place - 1, (this.done',
    replace: 'Math.max(0, place + 1, (this.done',
    tests: claims,
  },
  { id: 'layers-three-deep', file: view, find: 'const deepest = 4;', replace: 'const deepest = 3;', tests: table },
  {
    id: 'escape-cut-in-half',
    file: view,
    find: '? (units.outerEnds[before] as number)',
    replace: '? (units.outerEnds[before] as number) - 1',
    tests: table,
  },
  // Placeholders
  {
    id: 'value-with-its-escapes',
    file: placeholders,
    find: 'const value = innermostText(secret.value);',
    replace: 'const value = secret.value;',
    tests: claims,
  },
  {
    id: 'number-not-stable',
    file: placeholders,
    find: 'if (known !== undefined) return known.placeholder;',
    replace: '',
    tests: ['surgery/secrets/redact-text'],
  },
  {
    id: 'short-value-in-a-word',
    file: placeholders,
    find: 'const standsAloneBelow = 20;',
    replace: 'const standsAloneBelow = 8;',
    tests: claims,
  },
  {
    id: 'basic-password-unknown',
    file: placeholders,
    find: 'if (inner !== undefined) this',
    replace: 'if (inner === "") this',
    tests: ['surgery/secrets/redact-text'],
  },
  {
    id: 'one-round',
    file: 'src/surgery/secrets/redact-text.ts',
    find: 'const mostRounds = 4;',
    replace: 'const mostRounds = 1;',
    tests: claims,
  },
  // Bytes
  {
    id: 'backslash-before-quote',
    file: 'src/surgery/secrets/json-strings.ts',
    find: 'if (((end - slash) & 1) === 0)',
    replace: 'if (end === slash)',
    tests: bytes,
  },
  {
    id: 'byte-lost',
    file: 'src/surgery/secrets/lossless-text.ts',
    find: 'start = ++at;',
    replace: 'at++; start = at + 1;',
    tests: bytes,
  },
  { id: 'keys-not-looked-into', file: redactor, find: '!string.isKey &&', replace: 'string.isKey ||', tests: bytes },
  {
    id: 'name-in-json-ignored',
    file: redactor,
    find: 'if (cuts.length === 0) break;',
    replace: 'break;',
    tests: bytes,
  },
  {
    id: 'quoted-value-unknown',
    file: redactor,
    find: 'if (own.length >= shortest)',
    replace: 'if (own.length < 0)',
    tests: bytes,
  },
  {
    id: 'signature-changed',
    file: kept,
    find: "'tool_use_id', 'signature', 'data'",
    replace: "'tool_use_id', 'data'",
    tests: bytes,
  },
  {
    id: 'signed-thinking-changed',
    file: kept,
    find: "(asString(block.signature) ?? '') !== ''",
    replace: "(asString(block.signature) ?? '') === ''",
    tests: bytes,
  },
  {
    id: 'picture-looked-into',
    file: kept,
    find: 'return text.length >= 64 && mediaStart',
    replace: 'return text.length < 0 && mediaStart',
    tests: session,
  },
  // A session
  {
    id: 'thinking-left',
    file: 'src/surgery/redact-thinking.ts',
    find: 'if (gone.length === 0) continue;',
    replace: 'if (gone.length > 0) continue;',
    tests: session,
  },
  {
    id: 'thinking-chain-broken',
    file: 'src/surgery/redact-thinking.ts',
    find: 'if (drops.size > 0) {',
    replace: 'if (drops.size < 0) {',
    tests: session,
  },
  {
    id: 'learns-too-late',
    file: redact,
    find: 'for (const file of source.files) learnFile(file, redactor);',
    replace: '',
    tests: session,
  },
  {
    id: 'side-files-left',
    file: redact,
    find: 'contents.set(file.path, { bytes: redactFile(file, redactor) });',
    replace: '',
    tests: session,
  },
  { id: 'proof-leaks', file: redact, find: '...leaks(staged, redactor),', replace: '', tests: session },
  {
    id: 'proof-other-leaks',
    file: redact,
    find: '...otherLeaks(other.files, session.id, redactor),',
    replace: '',
    tests: session,
  },
  {
    id: 'proof-history',
    file: redact,
    find: '? leakyPrompts(content.lines(), sessionId, redactor)',
    replace: '? 0',
    tests: session,
  },
  { id: 'proof-sends', file: redact, find: '...sends(session, staged, redactor),', replace: '', tests: session },
  {
    id: 'elsewhere-tasks',
    file: elsewhere,
    find: "['file-history', 'tasks', 'session-env']",
    replace: "['file-history', 'session-env']",
    tests: session,
  },
  {
    id: 'elsewhere-links',
    file: elsewhere,
    find: 'await listOwned(folder, real, [])',
    replace: 'await listOwned(folder, realPlace(root), [])',
    tests: session,
  },
  {
    id: 'elsewhere-old-prompts',
    file: elsewhere,
    find: 'return owner === undefined ? redactor.replaceKnown(bytes) : bytes;',
    replace: 'return bytes;',
    tests: session,
  },
  {
    id: 'elsewhere-foreign-prompts',
    file: elsewhere,
    find: 'return owner === undefined ? redactor',
    replace: 'return owner !== sessionId ? redactor',
    tests: session,
  },
  {
    id: 'elsewhere-changed-meanwhile',
    file: elsewhere,
    find: 'identities: new Map(read.map',
    replace: 'identities: new Map([].map',
    tests: session,
  },
  // Names
  {
    id: 'tool-name-invalid',
    file: names,
    find: "replaceAll(placeholder, 'redacted-$1-$2')",
    replace: "replaceAll(placeholder, '$&')",
    tests: ['surgery/redact-names'],
  },
  {
    id: 'tool-name-too-long',
    file: names,
    find: 'const longestToolName = 128;',
    replace: 'const longestToolName = 1280;',
    tests: ['surgery/redact-names'],
  },
  {
    id: 'tool-names-the-same',
    file: names,
    find: 'if (!taken.has(free)) return free;',
    replace: 'return free;',
    tests: ['surgery/redact-names'],
  },
  {
    id: 'agent-id-stays',
    file: redactor,
    find: "name === 'agentId' ? this.#names",
    replace: "name === '' ? this.#names",
    tests: ['surgery/redact-names'],
  },
  {
    id: 'old-file-name-stays',
    file: redact,
    find: '...source.files.filter(isRenamed)',
    replace: '...source.files.filter(() => false)',
    tests: ['surgery/redact-names'],
  },
  {
    id: 'file-name-shown',
    file: redact,
    find: ': redactor.hide(real);',
    replace: ': real;',
    tests: ['surgery/redact-names'],
  },
  // Other copies
  {
    id: 'archive-own-copy-only',
    file: archive,
    find: 'isOf(manifest, main) && holdsSecret(manifest, new ChunkReader',
    replace: 'holdsSecret(manifest, new ChunkReader',
    tests: ['surgery/redact-archive'],
  },
  {
    id: 'archive-not-again',
    file: archive,
    find: 'if (versions > 0) await archiveSessions',
    replace: 'if (versions < 0) await archiveSessions',
    tests: ['surgery/redact-archive'],
  },
  {
    id: 'archive-damaged-stays',
    file: archive,
    find: 'if (error instanceof ArchiveDamaged) return true;',
    replace: 'if (error instanceof ArchiveDamaged) return false;',
    tests: ['surgery/redact-archive'],
  },
  {
    id: 'parcel-thinking',
    file: 'src/surgery/redact-parcel.ts',
    find: 'edits.length === 0 ? redacted',
    replace: 'edits.length >= 0 ? redacted',
    tests: ['surgery/redact-parcel'],
  },
  {
    id: 'check-exit-code',
    file: 'src/cli/redact-check.ts',
    find: 'if (total > 0)',
    replace: 'if (total > 1)',
    tests: ['cli/redact-check'],
  },
  {
    id: 'check-file-names',
    file: 'src/cli/redact-check.ts',
    find: 'for (const file of named) redactor.learnFileName(file.name);',
    replace: '',
    tests: ['cli/redact-check'],
  },
  {
    id: 'excerpt-shows-more',
    file: excerpt,
    find: 'Math.min(4, ',
    replace: 'Math.min(5, ',
    tests: ['surgery/secrets/excerpt'],
  },
  {
    id: 'excerpt-short-value',
    file: excerpt,
    find: 'Math.floor(value.length / 4)',
    replace: 'Math.floor(value.length)',
    tests: ['surgery/secrets/excerpt'],
  },
  {
    id: 'excerpt-unmasked-context',
    file: excerpt,
    find: "isRandomLetters(word) ? '***' : word",
    replace: 'isRandomLetters(word) ? word : word',
    tests: ['surgery/secrets/excerpt'],
  },
  {
    id: 'excerpt-of-the-raw-text',
    file: 'src/surgery/survey.ts',
    find: "redaction.bytes === bytes ? '' : redaction.bytes.toString('utf8')",
    replace: "bytes.toString('utf8')",
    tests: ['cli/redact-check'],
  },
  {
    id: 'check-side-files',
    file: 'src/cli/redact-check.ts',
    find: 'target.sessionId === undefined ? [own]',
    replace: 'true ? [own]',
    tests: ['cli/redact-check'],
  },
  {
    id: 'user-pattern-cost',
    file: 'src/surgery/secrets/user-rules.ts',
    find: 'const problem = costProblem(pattern);',
    replace: 'const problem = costProblem("");',
    tests: ['surgery/secrets/redact-text'],
  },
  {
    id: 'allowed-value',
    file: find,
    find: '|| allows(value)) continue;',
    replace: ') continue;',
    tests: ['surgery/secrets/redact-text'],
  },
];
