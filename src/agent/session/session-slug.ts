// A session id → its readable name, adjective-adjective-surname, always the same. Clients write such a `slug` on every
// line; the words are our own.
import { createHash } from 'node:crypto';

export function slugFor(sessionId: string): string {
  const hash = createHash('sha256').update(sessionId).digest();
  const pick = (words: readonly string[], at: number): string => words[hash.readUInt16BE(at) % words.length] ?? '';
  return `${pick(moods, 0)}-${pick(doings, 2)}-${pick(surnames, 4)}`;
}

const moods = words(
  'amber ample apt brave bright brisk calm candid careful cheerful clear clever cosy curious dapper deft eager early even fair fearless fond frank fresh gentle glad golden graceful hardy honest humble jolly keen kind lively lucid mellow merry mild modest neat nimble noble patient placid plucky polite prompt proud quiet ready robust serene silver sincere snug sober spry steady stout sunny supple swift tidy tranquil trusty upbeat vivid warm willing wise witty zesty',
);
const doings = words(
  'baking bouncing building carving chasing climbing coasting counting cycling dancing drafting drawing drifting exploring farming fishing floating folding gardening gathering gliding humming hiking juggling jumping knitting leaping learning listening mapping marching mending musing orbiting paddling painting planting pondering puzzling racing reading resting riding roaming rowing running sailing singing sketching skating skipping soaring spinning strolling surfing swaying swimming tending tinkering travelling tuning wading walking wandering weaving whistling winding wondering writing',
);
const surnames = words(
  'ampere babbage banach bell bernoulli bohr boole borel bose cantor carson cauchy clarke codd curie dalton darwin davy dijkstra dirac edison einstein erdos euclid euler fano faraday fermat fermi feynman fourier franklin galileo galois gauss germain goedel hamilton hamming heaviside hertz hilbert hopper huffman huygens hypatia jacobi joule kepler khayyam knuth lagrange lamarr laplace leibniz lovelace mach markov maxwell meitner mendel minsky napier nash newton noether ohm pascal pasteur pauli perlman planck poincare raman ramanujan ritchie riemann rontgen sagan shannon tesla thales thompson turing volta watt wiener wiles wirth zuse',
);

function words(list: string): readonly string[] {
  return list.split(' ');
}
