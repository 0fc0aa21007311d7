// Style sheets are bundled with the page and export nothing.
declare module '*.css';
