export { buildResumeGraph, type ResumeGraph } from './graph.ts';
export { chooseLeaf, walkChain } from './leaf.ts';
export { reattach } from './reattach.ts';
