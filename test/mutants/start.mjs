// The entry point: what is lean, how output is written; the hash and the model names that make the start short.
const main = 'src/cli/main.ts';
const hash = 'src/base/digest/sha256.ts';

export const mutants = [
  {
    id: 'output-rest-dropped',
    file: main,
    find: 'if (bytes.length === 0) return exitCodes.ok;',
    replace: 'return exitCodes.ok;',
    tests: ['cli/main'],
  },
  {
    id: 'output-from-the-start-again',
    file: main,
    find: 'bytes = bytes.subarray(writeSync(1, bytes));',
    replace: 'bytes = bytes.subarray(writeSync(1, bytes) < bytes.length ? 0 : bytes.length);',
    tests: ['cli/main'],
  },
  {
    id: 'reader-left-fails',
    file: main,
    find: "=== 'EPIPE') return exitCodes.ok;",
    replace: "=== 'EPIPE') return exitCodes.failed;",
    tests: ['cli/main'],
  },
  {
    id: 'every-error-is-a-reader-that-left',
    file: main,
    find: "if (systemErrorCode(error) === 'EPIPE') return",
    replace: 'if (systemErrorCode(error) !== undefined) return',
    tests: ['cli/main'],
  },
  {
    id: 'lean-error-uncaught',
    file: main,
    find: 'return await writeText(text);\n  } catch (error) {\n    return report(error);',
    replace: 'return await writeText(text);\n  } catch (error) {\n    throw error;',
    tests: ['cli/main'],
  },
  {
    id: 'exit-code-lost',
    file: main,
    find: 'process.exitCode = exitCode;',
    replace: 'process.exitCode = 0;',
    tests: ['cli/main'],
  },
  {
    id: 'flags-are-lean',
    file: 'src/cli/statusline/lean.ts',
    find: 'if (args.length > 0) return undefined;',
    replace: "if (args.includes('--json')) return undefined;",
    tests: ['cli/main'],
  },
  {
    id: 'hash-round',
    file: hash,
    find: '((e >>> 25) | (e << 7))',
    replace: '((e >>> 25) | (e << 8))',
    tests: ['base/digest/sha256'],
  },
  {
    id: 'hash-padding',
    file: hash,
    find: 'Math.floor((data.length + 8) / 64) + 1',
    replace: 'Math.floor((data.length + 7) / 64) + 1',
    tests: ['base/digest/sha256'],
  },
  {
    id: 'hash-length',
    file: hash,
    find: 'BigInt(data.length) * 8n',
    replace: 'BigInt(data.length) * 4n',
    tests: ['base/digest/sha256'],
  },
  {
    id: 'versioned-name-is-plain',
    file: 'src/models/facts.ts',
    find: '/-(?:latest|v\\d+)$/',
    replace: '/-latest$/',
    tests: ['models/facts'],
  },
  {
    id: 'latest-name-is-plain',
    file: 'src/models/facts.ts',
    find: '/-(?:latest|v\\d+)$/',
    replace: '/-v\\d+$/',
    tests: ['models/facts'],
  },
];
