import type { Fault, Planted } from './faults.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { escapeHtml, type Rendering, renderMarkdown } from './markdown.ts';
import { type Chapter, plainText, readChapters, standIn } from './read-chapters.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delayMs: number;
  readonly isHttp10: boolean;
}

interface Page {
  readonly path: string;
  readonly language: Language;
  /** The home page of a language has none. */
  readonly chapter: Chapter | null;
  readonly planted: Planted;
}

interface Site {
  readonly origin: string;
  readonly pages: ReadonlyMap<string, Page>;
  readonly chapters: readonly Chapter[];
  readonly links: ReadonlyMap<string, readonly string[]>;
}

/** The answers of the demo's site by path: the documentation in two languages, with faults. */
export function buildSite(docs: string, faults: readonly Fault[], origin: string): Map<string, Answer> {
  const planted = new Map<string, Planted>();
  for (const { pages } of faults)
    for (const [path, one] of Object.entries(pages)) planted.set(path, { ...planted.get(path), ...one });
  const links = new Map(faults.flatMap((one) => Object.entries(one.links)));
  const chapters = withStandIns(readChapters(docs), [...planted.keys(), ...links.keys()]);
  const pages = new Map<string, Page>();
  for (const language of LANGUAGES)
    for (const chapter of [null, ...chapters]) {
      const path = pathIn(language, chapter?.path ?? '');
      pages.set(path, { path, language, chapter, planted: planted.get(path) ?? {} });
    }
  const site: Site = { origin, pages, chapters, links };

  const answers = new Map<string, Answer>();
  for (const page of pages.values()) answers.set(addressOf(site, page.path), answerOf(site, page));
  for (const { redirects, statuses } of faults) {
    for (const [path, location] of Object.entries(redirects))
      answers.set(path, { ...html(301, ''), headers: { location } });
    for (const [path, status] of Object.entries(statuses))
      answers.set(path, status === 200 ? { ...MISSING, status } : html(status, ''));
  }
  answers.set('/robots.txt', plain('text/plain', robotsTxt(faults, origin)));
  answers.set('/sitemap.xml', plain('application/xml', sitemap(faults, site)));
  return answers;
}

/** The chapters, and a stand-in for each page with a fault that the documentation has no longer. */
function withStandIns(chapters: readonly Chapter[], addresses: readonly string[]): Chapter[] {
  const all = new Map(chapters.map((chapter) => [chapter.path, chapter]));
  for (const address of addresses) {
    const language = LANGUAGES.find(({ folder }) => `${address}/`.startsWith(`/${folder}/`));
    if (language === undefined && address !== '/') throw new Error(`faults.yaml: no language has ${address}`);
    const path = address.slice(`/${language?.folder ?? ''}/`.length);
    if (path !== '' && !all.has(path)) all.set(path, standIn(path, chapters));
  }
  return [...all.values()];
}

/** The first language's home page is that of the site. */
function pathIn(language: Language, path: string): string {
  if (path === '') return language === LANGUAGES[0] ? '/' : `/${language.folder}`;
  return `/${language.folder}/${path}`;
}

/** Where the page of a path stands. */
function addressOf({ pages }: Pick<Site, 'pages'>, path: string): string {
  return pages.get(path)?.planted.address ?? path;
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-encoding': 'gzip',
  'content-security-policy': "default-src 'self' 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
};

function html(status: number, body: string): Answer {
  return { status, headers: HEADERS, body, delayMs: 0, isHttp10: false };
}

function plain(type: string, body: string): Answer {
  return { status: 200, headers: { 'content-type': type }, body, delayMs: 0, isHttp10: false };
}

/** The answer for any other path. */
export const MISSING = html(
  404,
  `<!doctype html>
<html lang="en">
<head>
<title>Page not found · crawlhouse documentation</title>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>This address has no page. It was moved or taken away, or the link that leads here is misspelt.</p>
</main>
</body>
</html>
`,
);

function answerOf(site: Site, page: Page): Answer {
  const { headers = {}, delay_ms = 0, http_1_0 = false } = page.planted;
  const given = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== null);
  return {
    ...html(200, atLeast(page.planted.least_bytes ?? 0, renderPage(site, page))),
    headers: Object.fromEntries(given) as Answer['headers'],
    delayMs: delay_ms,
    isHttp10: http_1_0,
  };
}

function atLeast(bytes: number, text: string): string {
  const missing = bytes - Buffer.byteLength(text);
  return missing > 0 ? `${text}<!--${' '.repeat(missing)}-->\n` : text;
}

function renderPage(site: Site, page: Page): string {
  const { path, language, chapter, planted } = page;
  const title = chapter?.title ?? 'crawlhouse';
  const texts = {
    title: `${title} · crawlhouse documentation`,
    h1: title,
    description: chapter === null ? 'The documentation of crawlhouse' : descriptionOf(chapter),
  };
  const shown = (name: keyof typeof texts): string | null =>
    planted[name] === undefined ? escapeHtml(language.translate(texts[name])) : planted[name];
  const link = (target: string, text: string): string =>
    isLinked(site, target)
      ? `<a href="${escapeHtml(addressOf(site, target))}">${escapeHtml(language.translate(text))}</a>`
      : '';
  const head = [
    tag(shown('title'), (text) => `<title>${text}</title>`),
    tag(shown('description'), (text) => `<meta name="description" content="${text}">`),
    planted.noindex === true ? '<meta name="robots" content="noindex">' : '',
    tag(
      planted.canonical === undefined ? addressOf(site, path) : planted.canonical,
      (target) =>
        `<link rel="canonical" href="${escapeHtml(URL.parse(target)?.href ?? site.origin + target)}">`,
    ),
    ...versionsOf(site, page).map(
      ([code, target]) =>
        `<link rel="alternate" hreflang="${code}" href="${site.origin}${addressOf(site, target)}">`,
    ),
    planted.head ?? '',
  ];
  const menu = [
    link(pathIn(language, ''), 'Contents'),
    ...LANGUAGES.filter((one) => one !== language).map((one) =>
      link(pathIn(one, chapter?.path ?? ''), `This page: ${one.code}`),
    ),
    ...site.chapters
      .filter((one) => one.document === chapter?.document)
      .map((one) => link(pathIn(language, one.path), one.title)),
    ...(site.links.get(path) ?? []).map((target) => `<a href="${target}">${target}</a>`),
  ];
  return `<!doctype html>
<html lang="${language.code}">
<head>
<meta charset="utf-8">
${head.filter((line) => line !== '').join('\n')}
</head>
<body>
<nav>${menu.filter((one) => one !== '').join('\n')}</nav>
<main>
${tag(shown('h1'), (text) => `<h1>${text}</h1>`)}
${textOf(planted, chapter === null ? contents(site, language, link) : mainText(site, page))}
${planted.body ?? ''}
</main>
${tag(planted.script ?? null, (script) => `<script>${script}</script>`)}
</body>
</html>
`;
}

function textOf({ by_script }: Planted, text: string): string {
  if (by_script !== true) return text;
  const show = "document.querySelector('main').append(document.querySelector('template').content)";
  return `<template>${text}</template><script>${show}</script>`;
}

function tag(text: string | null, write: (text: string) => string): string {
  return text === null ? '' : write(text);
}

/** Each document with its first words. */
function contents(
  { chapters }: Site,
  language: Language,
  link: (target: string, text: string) => string,
): string {
  const items = chapters
    .filter(({ path, document }) => path === document)
    .map((one) => {
      const words = escapeHtml(language.translate(plainText(one.markdown).slice(0, 120)));
      return `<li>${link(pathIn(language, one.path), one.title)} ${words}</li>`;
    });
  return `<ul>${items.join('\n')}</ul>`;
}

function mainText(site: Site, { language, chapter, planted }: Page): string {
  const source = planted.text_of === undefined ? chapter : site.pages.get(planted.text_of)?.chapter;
  const rendering: Rendering = {
    translate: language.translate,
    pathOf(target) {
      const path = /^(?:\.\.?\/)*((?:decisions\/)?[a-z-]+)\.md(?:#.*)?$/.exec(target)?.[1];
      const found = [path, `decisions/${path}`].find((one) =>
        site.chapters.some((known) => known.path === one),
      );
      const at = found === undefined ? null : pathIn(language, found);
      return at !== null && isLinked(site, at) ? escapeHtml(addressOf(site, at)) : null;
    },
  };
  const markdown = source?.markdown ?? '';
  return renderMarkdown(planted.thin === true ? plainText(markdown).slice(0, 400) : markdown, rendering);
}

function descriptionOf({ title, markdown }: Chapter): string {
  return `${title}: ${plainText(markdown).slice(0, 120)}`;
}

function isLinked({ pages }: Site, path: string): boolean {
  const page = pages.get(path);
  return page !== undefined && page.planted.unlinked !== true;
}

/** The language versions that a page names, itself among them. */
function versionsOf({ pages }: Site, { chapter, planted }: Page): [string, string][] {
  const all = LANGUAGES.map((language) => ({ language, path: pathIn(language, chapter?.path ?? '') }));
  const isAlone = all.some(({ path }) => pages.get(path)?.planted.versions === 'none');
  if (isAlone || planted.versions !== undefined) return [];
  return all.map(({ language, path }) => [language.code, path]);
}

function robotsTxt(faults: readonly Fault[], origin: string): string {
  const denied = faults.flatMap((one) => one.robots_txt);
  return ['User-agent: *', ...denied, '', `Sitemap: ${origin}/sitemap.xml`, ''].join('\n');
}

function sitemap(faults: readonly Fault[], { origin, pages }: Site): string {
  const lacks = new Set(faults.flatMap((one) => one.sitemap_lacks));
  const paths = new Set([
    ...[...pages.keys()].filter((path) => !lacks.has(path)),
    ...faults.flatMap((one) => one.sitemap_adds),
  ]);
  const urls = [...paths].map(
    (path) => `<url><loc>${escapeHtml(origin + addressOf({ pages }, path))}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}
