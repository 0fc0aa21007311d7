export { buildGraph, type Graph, isLinked } from './graph.ts';
export { contentKey, findRelatives, findSideLines, type Relatives } from './relatives.ts';
export { findReplayed } from './replay.ts';
