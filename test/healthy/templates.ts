import type { Template } from './site.ts';
import { amp } from './templates/amp.ts';
import { docusaurus } from './templates/docusaurus.ts';
import { cjk, rtl } from './templates/languages.ts';
import { nextApp } from './templates/next-app.ts';
import { plainDivs } from './templates/plain-divs.ts';
import { quarto } from './templates/quarto.ts';
import { shop } from './templates/shop.ts';
import { spa } from './templates/spa.ts';
import { wordpress } from './templates/wordpress.ts';

/** Ten kinds of websites, each without a fault. */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  wordpress,
  shop,
  nextApp,
  docusaurus,
  quarto,
  plainDivs,
  cjk,
  rtl,
  amp,
  spa,
};
