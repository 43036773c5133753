import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import { escaped, image, missing, numbers, page, pdf, plain, type Routes, rss, sitemap } from '../site.ts';

const SITE = 'Field Notes';

/** A website of Quarto: pages end in .html, links are relative, and there is no canonical. */
export function quarto(origin: string, random: () => number): Routes {
  const prose = proseOf('en', random);
  const posts = titlesOf(prose, 8).map((one) => ({
    ...one,
    path: `/posts/${one.slug}/index.html`,
    text: prose.sentence(),
  }));
  const chapters = titlesOf(prose, 6).map((one, nth) => ({
    ...one,
    path: nth === 0 ? '/guide/index.html' : `/guide/${one.slug}.html`,
  }));
  const routes: Routes = {
    '/robots.txt': plain(`Sitemap: ${origin}/sitemap.xml\n`),
    '/search.json': plain('[]', { 'content-type': 'application/json' }),
    '/listings.json': plain('[]', { 'content-type': 'application/json' }),
    '/index.xml': rss(SITE, origin, []),
    '/images/notes.png': image(20),
    '*': missing('404', '<p>Not found</p>'),
  };
  const add = (path: string, title: string, body: string, head = ''): void => {
    routes[path] = page(around(path, title, body, head));
  };
  for (const { title, path, text } of posts) {
    const second = prose.title();
    const id = second.toLowerCase().replaceAll(' ', '-');
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    add(
      path,
      `${title} – ${SITE}`,
      `<header id="title-block-header" class="quarto-title-block default"><div class="quarto-title"><h1 class="title">${title}</h1><div class="quarto-categories"><div class="quarto-category"><a href="../../index.html#category=news">news</a></div></div></div><div class="quarto-title-meta"><div class="quarto-title-meta-heading">Author</div><p>Mira Lund</p></div></header>
<nav id="TOC" role="doc-toc" class="toc-active"><h2 id="toc-title">On this page</h2><ul><li><a href="#${id}" id="toc-${id}" class="nav-link active" data-scroll-target="#${id}">${second}</a></li></ul><div class="quarto-alternate-formats"><h2>Other Formats</h2><ul><li><a href="notes.pdf"><i class="bi bi-file-pdf"></i>PDF</a></li><li><a href="notes.ipynb" download="notes.ipynb"><i class="bi bi-journal-code"></i>Jupyter</a></li></ul></div></nav>
${paragraphs(prose, 3)}<section id="${id}" class="level2"><h2 class="anchored" data-anchor-id="${id}">${second}<a class="anchorjs-link" aria-label="Anchor" data-anchorjs-icon="" href="#${id}"></a></h2>${paragraphs(prose, 2)}
<p>See <span class="citation" data-cites="knuth84">Knuth (<a href="#ref-knuth84" role="doc-biblioref">1984</a>)</span>.</p><div class="sourceCode" id="cb1"><pre class="sourceCode python code-with-copy"><code class="sourceCode python"><span id="cb1-1"><a href="#cb1-1" aria-hidden="true" tabindex="-1"></a><span class="dv">1</span></span></code></pre></div>
<figure class="quarto-float"><img src="../../images/notes.png" class="img-fluid figure-img" alt="A page of notes" width="600"></figure></section><div id="quarto-appendix" class="default"><section class="quarto-appendix-contents" role="doc-bibliography"><div id="ref-knuth84" class="csl-entry">Knuth, Donald E. 1984.</div></section></div>`,
      `<meta name="author" content="Mira Lund"><meta name="dcterms.date" content="2026-05-01"><meta name="description" content="${escaped(text)}">`,
    );
    routes[`${folder}notes.pdf`] = pdf();
    routes[`${folder}notes.ipynb`] = plain('{"cells": [], "nbformat": 4}', {
      'content-type': 'application/octet-stream',
    });
  }
  for (const [nth, { title, path }] of chapters.entries()) {
    const [before, after] = [chapters[nth - 1], chapters[nth + 1]];
    const relative = (to: string): string => `../${to.slice(1)}`;
    const head = `${before === undefined ? '' : `<link href="${relative(before.path)}" rel="prev">`}${after === undefined ? '' : `<link href="${relative(after.path)}" rel="next">`}`;
    const list = numbers(chapters.length).map(
      (at) =>
        `<li class="sidebar-item"><a href="${relative(chapters[at]?.path ?? '')}" class="sidebar-item-text sidebar-link"><span class="menu-text">${chapters[at]?.title}</span></a></li>`,
    );
    add(
      path,
      `${title} – ${SITE}`,
      `<nav id="quarto-sidebar" class="sidebar"><ul>${list.join('')}</ul></nav><h1 class="title">${title}</h1>${paragraphs(prose, 4)}<nav class="page-navigation">${before === undefined ? '' : `<div class="nav-page nav-page-previous"><a href="${relative(before.path)}" class="pagination-link">${before.title}</a></div>`}${after === undefined ? '' : `<div class="nav-page nav-page-next"><a href="${relative(after.path)}" class="pagination-link">${after.title}</a></div>`}</nav>`,
      head,
    );
  }
  const listing = posts.map(
    ({ title, path, text }, nth) =>
      `<div class="quarto-post image-right" data-index="${nth}" data-categories="news"><div class="thumbnail"><a href=".${path}" class="no-external"><p><img src="./images/notes.png" class="thumbnail-image" alt="" height="150"></p></a></div><div class="body"><h3 class="no-anchor listing-title"><a href=".${path}" class="no-external">${title}</a></h3><div class="listing-categories"><div class="listing-category" onclick="window.quartoListingCategory('bmV3cw=='); return false;">news</div></div><div class="delink listing-description"><a href=".${path}" class="no-external">${text}</a></div></div></div>`,
  );
  const home = `<header id="title-block-header" class="quarto-title-block default"><h1 class="title">${SITE}</h1></header><div class="quarto-listing quarto-listing-container-default" id="listing-listing">${listing.join('')}</div>`;
  const link = '<link rel="alternate" type="application/rss+xml" title="Field Notes" href="index.xml">';
  add('/index.html', SITE, home, link);
  add('/', SITE, home, link);
  add(
    '/about.html',
    `About – ${SITE}`,
    `<h1 class="title">About</h1>${paragraphs(prose, 3)}<div class="about-links"><a href="mailto:mira@example.com" class="about-link">Email</a></div>`,
  );
  routes['/sitemap.xml'] = sitemap(
    Object.keys(routes)
      .filter((path) => path.endsWith('.html'))
      .map((path) => `${origin}${path}`),
  );
  return routes;
}

function around(path: string, title: string, body: string, head: string): string {
  const offset = path === '/' ? './' : `${'../'.repeat(path.split('/').length - 2)}` || './';
  const base = offset === './' ? './' : offset;
  return `<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en"><head>
<meta charset="utf-8">
<meta name="generator" content="quarto-1.6.32">
<meta name="viewport" content="width=device-width, initial-scale=1.0, user-scalable=yes">
${head}
<title>${title}</title>
<style>
code{white-space: pre-wrap;}
span.smallcaps{font-variant: small-caps;}
</style>
<script src="${base}site_libs/quarto-nav/quarto-nav.js"></script>
<meta name="quarto:offset" content="${base}">
<link href="${base}site_libs/bootstrap/bootstrap.min.css" rel="stylesheet" append-hash="true" id="quarto-bootstrap" data-mode="light">
<script id="quarto-search-options" type="application/json">{"location": "navbar", "limit": 50, "language": {"search-no-results-text": "No results", "search-label": "Search"}}</script>
</head>
<body class="nav-fixed fullcontent quarto-light">
<div id="quarto-search-results"></div>
<header id="quarto-header" class="headroom fixed-top"><nav class="navbar navbar-expand-lg" data-bs-theme="dark"><div class="navbar-container container-fluid"><div class="navbar-brand-container mx-auto"><a class="navbar-brand" href="${base}index.html"><span class="navbar-title">${SITE}</span></a></div><div id="quarto-search" class="" title="Search"></div><ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="${base}guide/index.html"><span class="menu-text">Guide</span></a></li><li class="nav-item"><a class="nav-link" href="${base}about.html"><span class="menu-text">About</span></a></li><li class="nav-item"><a class="nav-link" href="${base}index.html" aria-current="page"><span class="menu-text">Home</span></a></li><li class="nav-item"><a class="nav-link" href="https://github.com/"><i class="bi bi-github" role="img"></i><span class="menu-text"></span></a></li></ul><div class="quarto-navbar-tools"><a href="" class="quarto-color-scheme-toggle quarto-navigation-tool px-1" onclick="window.quartoToggleColorScheme(); return false;" title="Toggle dark mode"><i class="bi"></i></a></div></div></nav></header>
<div id="quarto-content" class="quarto-container page-columns page-rows-contents page-layout-article page-navbar"><div id="quarto-margin-sidebar" class="sidebar margin-sidebar zindex-bottom"></div>
<main class="content" id="quarto-document-content">${body}</main></div>
<footer class="footer"><div class="nav-footer"><div class="nav-footer-center"><p>Made with <a href="https://quarto.org/">Quarto</a></p><div class="toc-actions"><ul><li><a href="https://github.com/mira/notes/issues/new" class="toc-action"><i class="bi bi-github"></i>Report an issue</a></li></ul></div></div></div></footer>
</body></html>`;
}
