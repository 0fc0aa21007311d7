// Doctor: what it finds, what it repairs, and what it leaves alone.
const mendable = 'src/doctor/repair/mendable.ts';
const rule = "return !code.startsWith('F-') && code !== 'A-too-long' && code !== 'L-oversize';";

export const mutants = [
  {
    id: 'plan-repair-stub',
    file: 'src/doctor/repair/repair.ts',
    find: 'if (!diagnosis.findings.some(isMendable)',
    replace: 'if (true || !diagnosis.findings.some(isMendable)',
    tests: ['doctor/repair'],
  },
  ...['G-cycle', 'G-duplicate-uuid', 'A-unanswered-tool', 'A-image-size', 'L-torn-tail', 'L-not-json'].map((code) => ({
    id: `mendable-denies-${code}`,
    file: mendable,
    find: rule,
    replace: `return code !== '${code}' && ${rule.slice('return '.length)}`,
    tests: ['doctor/repair'],
  })),
];
