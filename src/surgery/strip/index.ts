export { freshUsageNote, planStrip } from './strip.ts';
export { estimateContext, estimateStrip, type StripEstimate, type StripRow } from './strip-estimate.ts';
export { messageKey, type StripOptions, takesAnything } from './strip-options.ts';
