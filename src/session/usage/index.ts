export {
  type CountedMessage,
  countUsage,
  type DroppedLine,
  type DropReason,
  isLarger,
  totalUsage,
  type UsageLine,
  type UsageTotals,
} from './usage.ts';
