export { findClient, type ProbeReport, probeClient } from './probe-client.ts';
