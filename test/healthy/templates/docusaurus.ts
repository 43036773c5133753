import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import {
  atom,
  escaped,
  jsonLd,
  missing,
  numbers,
  page,
  parts,
  plain,
  type Routes,
  rss,
  sitemap,
} from '../site.ts';

const SITE = 'Quayside';

/** Documentation and a blog as Docusaurus builds them. */
export function docusaurus(origin: string, random: () => number): Routes {
  const prose = proseOf('en', random);
  const docs = titlesOf(prose, 10).map((one, index) => ({
    ...one,
    path: `/docs/${index < 5 ? 'basics' : 'extras'}/${one.slug}`,
  }));
  const posts = titlesOf(prose, 11).map((one, index) => ({
    ...one,
    path: `/blog/${one.slug}`,
    tag: index % 3,
    text: prose.paragraph(4),
  }));
  const tags = ['releases', 'community', 'tips'];
  const routes: Routes = {
    '/robots.txt': plain(`User-agent: *\nDisallow:\nSitemap: ${origin}/sitemap.xml\n`),
    '/blog/rss.xml': rss('Quayside Blog', origin, []),
    '/blog/atom.xml': atom('<feed xmlns="http://www.w3.org/2005/Atom"><title>Quayside Blog</title></feed>'),
    '*': missing(
      `Page Not Found | ${SITE}`,
      '<main><h1>Page Not Found</h1><p>We could not find what you were looking for.</p></main>',
    ),
  };
  const sidebar = `<nav aria-label="Docs sidebar" class="menu thin-scrollbar"><ul class="theme-doc-sidebar-menu menu__list"><li><a class="menu__link" href="/docs/intro">Introduction</a></li>${[
    'basics',
    'extras',
  ]
    .map(
      (part) =>
        `<li class="theme-doc-sidebar-item-category"><a class="menu__link menu__link--sublist" href="/docs/category/${part}">${part}</a><ul>${docs
          .filter(({ path }) => path.includes(part))
          .map(({ title, path }) => `<li><a class="menu__link" href="${path}">${title}</a></li>`)
          .join('')}</ul></li>`,
    )
    .join('')}</ul></nav>`;
  const add = (path: string, title: string, body: string, head: Head = {}): void => {
    routes[path] = page(around(origin, path, title, body, head));
  };
  const edit = (path: string): string =>
    `<footer class="theme-doc-footer"><a href="https://github.com/quayside/docs/edit/main${path}.md" target="_blank" rel="noopener noreferrer" class="theme-edit-this-page">Edit this page</a></footer>`;
  const heading = (text: string): string => {
    const id = text.toLowerCase().replaceAll(' ', '-');
    return `<h2 class="anchor anchorWithStickyNavbar_LWe7" id="${id}">${text}<a href="#${id}" class="hash-link" aria-label="Direct link to ${text}" title="Direct link to ${text}">​</a></h2>`;
  };
  const around_doc = (path: string, content: string, nth: number): string => {
    const [before, after] = [docs[nth - 1], docs[nth + 1]];
    return `<div class="docRoot">${sidebar}<main><nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li><a aria-label="Home page" class="breadcrumbs__link" href="/"><svg viewBox="0 0 24 24"><path d="M10 19v-5h4v5"></path></svg></a></li></ul></nav><article><div class="theme-doc-markdown markdown">${content}</div>${edit(path)}</article><nav class="pagination-nav" aria-label="Docs pages">${before === undefined ? '' : `<a class="pagination-nav__link pagination-nav__link--prev" href="${before.path}"><div>Previous</div><div>${before.title}</div></a>`}${after === undefined ? '' : `<a class="pagination-nav__link pagination-nav__link--next" href="${after.path}"><div>Next</div><div>${after.title}</div></a>`}</nav></main></div>`;
  };
  for (const [nth, { title, path }] of docs.entries()) {
    const second = prose.title();
    const code = `<div class="language-bash codeBlockContainer"><pre tabindex="0"><code>npm run ${nth} -- --flag</code></pre><button type="button" aria-label="Copy code to clipboard"></button></div>`;
    const crumbs = {
      '@context': 'https://schema.org',
      '@type': 'BreadcrumbList',
      itemListElement: [{ '@type': 'ListItem', position: 1, name: title, item: `${origin}${path}` }],
    };
    add(
      path,
      `${title} | ${SITE}`,
      around_doc(
        path,
        `<header><h1>${title}</h1></header>${paragraphs(prose, 2)}${heading(second)}${paragraphs(prose, 2)}${code}<div class="theme-admonition"><p>${prose.sentence()}.</p></div>`,
        nth,
      ),
      { description: prose.sentence(), extra: jsonLd(crumbs) },
    );
  }
  add(
    '/docs/intro',
    `Introduction | ${SITE}`,
    around_doc('/docs/intro', `<h1>Introduction</h1>${paragraphs(prose, 3)}`, -1),
  );
  for (const part of ['basics', 'extras']) {
    const cards = docs
      .filter(({ path }) => path.includes(part))
      .map(
        ({ title, path }) =>
          `<article class="col col--6"><a class="card padding--lg" href="${path}"><h2 class="text--truncate" title="${escaped(title)}">📄️ ${title}</h2><p>${prose.sentence()}</p></a></article>`,
      );
    add(
      `/docs/category/${part}`,
      `${part} | ${SITE}`,
      around_doc(
        '',
        `<header><h1>${part}</h1><p>All about ${part}</p></header><section class="row list">${cards.join('')}</section>`,
        -1,
      ),
    );
  }
  const recent = `<aside><nav class="sidebar" aria-label="Blog recent posts navigation"><div>Recent posts</div><ul>${posts
    .slice(0, 5)
    .map(({ title, path }) => `<li><a href="${path}">${title}</a></li>`)
    .join('')}</ul></nav></aside>`;
  const teaser = ({ title, path, text, tag }: (typeof posts)[number]): string =>
    `<article class="margin-bottom--xl"><header><h2 class="title_f1Hy"><a href="${path}">${title}</a></h2><time datetime="2026-05-01T00:00:00.000Z">May 1, 2026</time> · 2 min read</header><div class="markdown"><p>${text}</p></div><footer><a class="tag" href="/blog/tags/${tags[tag]}">${tags[tag]}</a><a href="${path}" aria-label="Read more about ${escaped(title)}"><b>Read more</b></a></footer></article>`;
  for (const { title, path, text, tag } of posts) {
    const posting = {
      '@context': 'https://schema.org',
      '@type': 'BlogPosting',
      '@id': `${origin}${path}`,
      mainEntityOfPage: `${origin}${path}`,
      url: `${origin}${path}`,
      headline: title,
      name: title,
      description: text,
      datePublished: '2026-05-01T00:00:00.000Z',
      author: { '@type': 'Person', name: 'Sam Ito' },
      keywords: [],
    };
    add(
      path,
      `${title} | ${SITE}`,
      `${recent}<main><article><header><h1 class="title_f1Hy">${title}</h1></header><div class="markdown"><p>${text}</p>${paragraphs(prose, 2)}${heading(prose.title())}${paragraphs(prose, 1)}</div><footer><a class="tag" href="/blog/tags/${tags[tag]}">${tags[tag]}</a></footer></article></main>`,
      { description: text, extra: jsonLd(posting) },
    );
  }
  const lists = [
    { base: '/blog', title: `Blog | ${SITE}`, of: posts },
    ...tags.map((name, tag) => {
      const of = posts.filter((post) => post.tag === tag);
      return { base: `/blog/tags/${name}`, title: `${of.length} posts tagged with "${name}" | ${SITE}`, of };
    }),
  ];
  for (const { base, title, of } of lists) {
    const pages = parts(of, 6);
    for (const [nth, shown] of pages.entries()) {
      const links = numbers(pages.length)
        .filter((other) => Math.abs(other - nth) === 1)
        .map(
          (other) =>
            `<a class="pagination-nav__link" href="${other === 0 ? base : `${base}/page/${other + 1}`}"><div>${other < nth ? 'Newer' : 'Older'} entries</div></a>`,
        );
      add(
        nth === 0 ? base : `${base}/page/${nth + 1}`,
        escaped(title),
        `${recent}<main>${shown.map(teaser).join('')}<nav class="pagination-nav" aria-label="Blog list page navigation">${links.join('')}</nav></main>`,
        { description: base === '/blog' ? 'Blog' : '' },
      );
    }
  }
  add(
    '/blog/tags',
    `Tags | ${SITE}`,
    `<main><h1>Tags</h1><ul>${tags.map((name) => `<li><a rel="tag" class="tag" href="/blog/tags/${name}">${name}<span>4</span></a></li>`).join('')}</ul></main>`,
  );
  add(
    '/blog/archive',
    `Archive | ${SITE}`,
    `<main><h1>Archive</h1><ul>${posts.map(({ title, path }) => `<li><a href="${path}">May 1 - ${title}</a></li>`).join('')}</ul></main>`,
    { description: 'Archive' },
  );
  add(
    '/search',
    `Search the documentation | ${SITE}`,
    '<main><h1>Search the documentation</h1><form><input type="search" name="q"></form></main>',
    { extra: '<meta data-rh="true" property="robots" content="noindex, follow">' },
  );
  add(
    '/',
    `${SITE}`,
    `<header class="hero hero--primary"><h1 class="hero__title">${SITE}</h1><p class="hero__subtitle">${prose.sentence()}</p><a class="button button--secondary button--lg" href="/docs/intro">Tutorial - 5min</a></header><main><section>${numbers(
      3,
    )
      .map(() => `<div class="col col--4"><h3>${prose.title()}</h3><p>${prose.paragraph(2)}</p></div>`)
      .join('')}</section></main>`,
    { description: 'Documentation that is easy to keep' },
  );
  routes['/sitemap.xml'] = sitemap(
    Object.keys(routes)
      .filter((path) => /^\/(?!robots|\*|search|.*\.xml)/.test(path) && path !== '*')
      .map((path) => `${origin}${path}`),
  );
  return routes;
}

interface Head {
  readonly description?: string;
  readonly extra?: string;
}

function around(
  origin: string,
  path: string,
  title: string,
  body: string,
  { description = '', extra = '' }: Head,
): string {
  const url = `${origin}${path}`;
  return `<!doctype html>
<html lang="en" dir="ltr" class="docs-wrapper plugin-docs plugin-id-default docs-version-current" data-has-hydrated="false">
<head>
<meta charset="UTF-8">
<meta name="generator" content="Docusaurus v3.9.2">
<title data-rh="true">${title}</title><meta data-rh="true" name="viewport" content="width=device-width,initial-scale=1"><meta data-rh="true" name="twitter:card" content="summary_large_image"><meta data-rh="true" property="og:url" content="${url}"><meta data-rh="true" property="og:locale" content="en"><meta data-rh="true" name="docusaurus_locale" content="en"><meta data-rh="true" name="docsearch:language" content="en"><meta data-rh="true" name="docusaurus_tag" content="docs-default-current"><meta data-rh="true" property="og:title" content="${title}">${description === '' ? '' : `<meta data-rh="true" name="description" content="${escaped(description)}">`}<link data-rh="true" rel="icon" href="/img/favicon.ico"><link data-rh="true" rel="canonical" href="${url}"><link data-rh="true" rel="alternate" href="${url}" hreflang="en"><link data-rh="true" rel="alternate" href="${url}" hreflang="x-default">${extra}<link rel="alternate" type="application/rss+xml" href="/blog/rss.xml" title="Quayside RSS Feed"><link rel="alternate" type="application/atom+xml" href="/blog/atom.xml" title="Quayside Atom Feed"><link rel="search" type="application/opensearchdescription+xml" title="Quayside" href="/opensearch.xml"><link rel="stylesheet" href="/assets/css/styles.f4cdad07.css">
<script src="/assets/js/runtime~main.444b5859.js" defer="defer"></script>
</head>
<body class="navigation-with-keyboard">
<svg style="display: none;"><defs><symbol id="theme-svg-external-link" viewBox="0 0 24 24"><path d="M21 13v10h-21v-19h12"/></symbol></defs></svg>
<script>!function(){var t=new URLSearchParams(window.location.search).get("docusaurus-theme");document.documentElement.setAttribute("data-theme",t||"light")}()</script><div id="__docusaurus"><div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#__docusaurus_skipToContent_fallback">Skip to main content</a></div><nav aria-label="Main" class="theme-layout-navbar navbar navbar--fixed-top"><div class="navbar__inner"><a class="navbar__brand" href="/"><div class="navbar__logo"><img src="/img/logo.svg" alt="Quayside Logo" class="themedComponent--light"><img src="/img/logo.svg" alt="Quayside Logo" class="themedComponent--dark"></div><b class="navbar__title text--truncate">${SITE}</b></a><a class="navbar__item navbar__link" href="/docs/intro">Docs</a><a class="navbar__item navbar__link" href="/blog">Blog</a><div class="navbar__item dropdown dropdown--hoverable"><a href="#" aria-haspopup="true" aria-expanded="false" role="button" class="navbar__link">English</a><ul class="dropdown__menu"><li><a href="${path}" class="dropdown__link" lang="en">English</a></li></ul></div><a href="/search" class="navbar__item">Search</a><a href="https://github.com/quayside/quayside" target="_blank" rel="noopener noreferrer" class="navbar__item">GitHub</a></div></nav><div id="__docusaurus_skipToContent_fallback" class="theme-layout-main main-wrapper">${body}</div><footer class="theme-layout-footer footer footer--dark"><a class="footer__link-item" href="/docs/intro">Tutorial</a><a class="footer__link-item" href="/blog/archive">Archive</a><a class="footer__link-item" href="/blog/tags">Tags</a><div class="footer__copyright">Copyright © 2026 Quayside. Built with Docusaurus.</div></footer></div>
</body>
</html>`;
}
