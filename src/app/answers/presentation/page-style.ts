/**
 * The colors, sizes and fonts of every page for people, in one scale each. No fonts, images or scripts load from
 * elsewhere.
 */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2430, #e4e8ee);
  --soft: light-dark(#566070, #9aa5b4);
  --line: light-dark(#dfe3e8, #333b47);
  --page: light-dark(#ffffff, #14181f);
  --side: light-dark(#f6f7f9, #1a1f28);
  --link: light-dark(#0b5cad, #7ab3f0);
  --good: light-dark(#18794e, #5fd19a);
  --warn: light-dark(#8a5a00, #e5b567);
  --bad: light-dark(#b42318, #ff8a80);
  --bad-side: light-dark(#fdf0ee, #33191a);
  --text-small: 0.87rem;
  --text-large: 1.15rem;
  --text-figure: 1.6rem;
  --gap: 0.8rem;
  --gap-large: 1.2rem;
  --round: 8px;
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page); }
a { color: var(--link); }
`;

/**
 * One color per meaning, in every chart. They have a contrast of 3:1 on light and dark pages, and color-blind people
 * can distinguish them (after Okabe and Ito).
 */
export const CHART_COLOURS = {
  blue: '#0072b2',
  orange: '#d55e00',
  green: '#009470',
  purple: '#b4608f',
  red: '#d2453b',
  amber: '#a87900',
  slate: '#4f86a8',
  brown: '#9a6a4a',
  violet: '#6e5fc4',
  grey: '#7d8794',
} as const;
