export { freshUsageNote, planStrip } from './strip.ts';
export { estimateStrip, type StripEstimate, type StripRow } from './strip-estimate.ts';
export { messageKey, type StripOptions, takesAnything } from './strip-options.ts';
