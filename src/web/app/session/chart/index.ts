export { ContextChart } from './context-chart.tsx';
