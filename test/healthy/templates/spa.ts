import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import { escaped, page, plain, type Routes, sitemap } from '../site.ts';

/** A single-page application: one shell for every path, whose script writes the page of the path. */
export function spa(origin: string, random: () => number): Routes {
  const prose = proseOf('en', random);
  const names = titlesOf(prose, 15).map(({ title, slug }) => ({
    title,
    path: `/articles/${slug}`,
    text: paragraphs(prose, 4),
  }));
  const menu = names.map(({ title, path }) => `<li><a href="${path}">${title}</a></li>`).join('');
  const views = Object.fromEntries([
    ['/', { title: 'Lantern, a magazine', body: `<h1>Lantern</h1>${paragraphs(prose, 3)}<ul>${menu}</ul>` }],
    ...names.map(
      ({ title, path, text }) =>
        [path, { title: `${title} | Lantern`, body: `<h1>${escaped(title)}</h1>${text}` }] as const,
    ),
  ]);
  const script = `const views = ${JSON.stringify(views)};
const show = () => {
  const view = views[location.pathname];
  document.title = view ? view.title : 'Not found | Lantern';
  const link = document.createElement(view ? 'link' : 'meta');
  if (view) Object.assign(link, {rel: 'canonical', href: location.origin + location.pathname});
  else Object.assign(link, {name: 'robots', content: 'noindex'});
  document.head.append(link);
  document.getElementById('root').innerHTML = '<header><a href="/">Lantern</a></header><main>' + (view ? view.body : '<h1>Not found</h1>') + '</main>';
};
document.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link) return;
  event.preventDefault();
  history.pushState({}, '', link.href);
  show();
});
show();`;
  const shell = `<!doctype html><html lang="en"><head><meta charset="UTF-8" /><link rel="icon" type="image/svg+xml" href="/vite.svg" /><meta name="viewport" content="width=device-width, initial-scale=1.0" /><title>Lantern</title><script type="module" crossorigin src="/assets/index-DiwrgTda.js"></script><link rel="stylesheet" crossorigin href="/assets/index-n_ryQ3BS.css"></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`;
  return {
    '/robots.txt': plain(`User-agent: *\nDisallow:\nSitemap: ${origin}/sitemap.xml\n`),
    '/sitemap.xml': sitemap([`${origin}/`, ...names.map(({ path }) => `${origin}${path}`)]),
    '/assets/index-DiwrgTda.js': plain(script, { 'content-type': 'text/javascript' }),
    '/assets/index-n_ryQ3BS.css': plain('body{margin:0}', { 'content-type': 'text/css' }),
    '*': page(shell),
  };
}
