import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import { escaped, image, jsonLd, missing, page, parts, plain, type Routes, sitemap } from '../site.ts';

const BOILERPLATE = `<style amp-boilerplate>body{-webkit-animation:-amp-start 8s steps(1,end) 0s 1 normal both;animation:-amp-start 8s steps(1,end) 0s 1 normal both}@keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}</style><noscript><style amp-boilerplate>body{-webkit-animation:none;animation:none}</style></noscript><script async src="https://cdn.ampproject.org/v0.js"></script>`;

/** A newspaper with an AMP version of each article, and web stories that are AMP alone. */
export function amp(origin: string, random: () => number): Routes {
  const prose = proseOf('en', random);
  const articles = titlesOf(prose, 10).map(({ title, slug }) => ({
    title,
    path: `/${slug}/`,
    text: paragraphs(prose, 4),
    lead: prose.paragraph(2),
  }));
  const stories = titlesOf(prose, 3).map(({ title, slug }) => ({ title, path: `/web-stories/${slug}/` }));
  const routes: Routes = {
    '/robots.txt': plain(`User-agent: *\nDisallow: /internal/\nSitemap: ${origin}/sitemap.xml\n`),
    '/photo.png': image(40),
    '*': missing('Not found | The Ferry', '<p>Not found</p>'),
  };
  const data = (title: string, url: string): string =>
    jsonLd({
      '@context': 'https://schema.org',
      '@type': 'NewsArticle',
      mainEntityOfPage: url,
      headline: title,
      image: [`${origin}/photo.png`],
      datePublished: '2026-05-01T08:00:00+00:00',
      author: { '@type': 'Person', name: 'Lee' },
      publisher: {
        '@type': 'Organization',
        name: 'The Ferry',
        logo: { '@type': 'ImageObject', url: `${origin}/photo.png` },
      },
    });
  const whole = (path: string, title: string, body: string, head: string): void => {
    routes[path] = page(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><link rel="canonical" href="${origin}${path}">${head}</head><body><header><a href="/">The Ferry</a> <a href="/web-stories/">Stories</a> <a href="/page/2/">Older</a></header><main>${body}</main></body></html>`,
    );
  };
  for (const { title, path, text } of articles) {
    const url = `${origin}${path}`;
    whole(
      path,
      `${title} | The Ferry`,
      `<article><h1>${title}</h1><img src="/photo.png" alt="${escaped(title)}" width="800" height="400">${text}</article>`,
      `<link rel="amphtml" href="${url}amp/">${data(title, url)}`,
    );
    routes[`${path}amp/`] = page(
      `<!doctype html><html ⚡ lang="en"><head><meta charset="utf-8"><title>${title} | The Ferry</title><link rel="canonical" href="${url}"><meta name="viewport" content="width=device-width,minimum-scale=1,initial-scale=1">${BOILERPLATE}<script async custom-element="amp-sidebar" src="https://cdn.ampproject.org/v0/amp-sidebar-0.1.js"></script><style amp-custom>h1{color:blue}</style>${data(title, url)}</head><body><amp-sidebar id="s" layout="nodisplay" side="left"><ul><li><a href="/">Home</a></li></ul></amp-sidebar><header><button on="tap:s.toggle">≡</button><a href="/">The Ferry</a></header><article><h1>${title}</h1><amp-img src="/photo.png" width="800" height="400" layout="responsive" alt="${escaped(title)}"></amp-img>${text}</article><amp-analytics type="gtag"><script type="application/json">{"vars": {"gtag_id": "X"}}</script></amp-analytics></body></html>`,
    );
  }
  for (const { title, path } of stories) {
    const pages = [1, 2, 3].map(
      (nth) =>
        `<amp-story-page id="p${nth}"><amp-story-grid-layer template="fill"><amp-img src="/photo.png" width="720" height="1280" layout="responsive" alt="${escaped(title)}"></amp-img></amp-story-grid-layer><amp-story-grid-layer template="vertical">${nth === 1 ? `<h1>${title}</h1>` : ''}<p>${prose.sentence()}</p></amp-story-grid-layer>${nth === 3 ? `<amp-story-page-outlink layout="nodisplay"><a href="${origin}${articles[0]?.path}">Read the article</a></amp-story-page-outlink>` : ''}</amp-story-page>`,
    );
    routes[path] = page(
      `<!doctype html><html amp lang="en"><head><meta charset="utf-8"><title>${title} – a story by The Ferry</title><link rel="canonical" href="${origin}${path}"><meta name="viewport" content="width=device-width">${BOILERPLATE}<script async custom-element="amp-story" src="https://cdn.ampproject.org/v0/amp-story-1.0.js"></script></head><body><amp-story standalone title="${escaped(title)}" publisher="The Ferry" publisher-logo-src="/photo.png" poster-portrait-src="/photo.png">${pages.join('')}</amp-story></body></html>`,
    );
  }
  const lists = parts(articles, 5);
  for (const [nth, shown] of lists.entries())
    whole(
      nth === 0 ? '/' : `/page/${nth + 1}/`,
      nth === 0 ? 'The Ferry' : `Page ${nth + 1} | The Ferry`,
      `<h1>The Ferry</h1>${shown.map(({ title, path, lead }) => `<h2><a href="${path}">${title}</a></h2><p>${lead}</p>`).join('')}`,
      '',
    );
  whole(
    '/web-stories/',
    'Stories | The Ferry',
    `<h1>Stories</h1>${stories.map(({ title, path }) => `<a href="${path}">${title}</a>`).join('')}`,
    '',
  );
  routes['/sitemap.xml'] = sitemap(
    ['/', '/web-stories/', ...articles.map(({ path }) => path), ...stories.map(({ path }) => path)].map(
      (path) => `${origin}${path}`,
    ),
  );
  return routes;
}
