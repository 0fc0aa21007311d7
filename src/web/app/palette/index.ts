export { PaletteHost } from './palette-host.tsx';
