import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import {
  escaped,
  image,
  json,
  jsonLd,
  missing,
  moved,
  numbers,
  page,
  parts,
  plain,
  type Routes,
  rss,
  sitemap,
} from '../site.ts';

const LANGUAGES = ['en', 'de'] as const;
type Language = (typeof LANGUAGES)[number];

const MENU = {
  en: {
    about: 'About',
    pricing: 'Pricing',
    blog: 'Blog',
    home: 'Start',
    login: 'Sign in',
    lead: 'Plans for every team',
  },
  de: {
    about: 'Über uns',
    pricing: 'Preise',
    blog: 'Blog',
    home: 'Startseite',
    login: 'Anmelden',
    lead: 'Tarife für jedes Team',
  },
};

/** A site of Next.js in two languages: the start page redirects to one of them, content is streamed, and data is in scripts. */
export function nextApp(origin: string, random: () => number): Routes {
  const routes: Routes = {
    '/': { ...moved('/en', 307), headers: { location: '/en', link: alternates(origin, '').join(', ') } },
    '/robots.txt': plain(`User-Agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: ${origin}/sitemap.xml\n`),
    '/manifest.webmanifest': json({ name: 'Tidepool', icons: [] }),
    '/en/opengraph-image?8f2': image(30),
    '/feed.xml': rss('Tidepool', origin, []),
    '*': missing(
      '404: This page could not be found.',
      '<h1 class="next-error-h1">404</h1><h2>This page could not be found.</h2>',
    ),
  };
  const listed: string[] = [];
  const posts = { en: titlesOf(proseOf('en', random), 7), de: titlesOf(proseOf('de', random), 7) };
  for (const language of LANGUAGES) {
    const prose = proseOf(language, random);
    const words = MENU[language];
    const add = (path: string, title: string, body: string, head = '', robots = ''): void => {
      const url = `/${language}${path}`;
      routes[url] = page(around(origin, language, path, title, body, head + robots), {
        'x-powered-by': 'Next.js',
        vary: 'rsc, next-router-state-tree, next-router-prefetch',
      });
      if (robots === '') listed.push(`${origin}${url}`);
    };
    add(
      '',
      `Tidepool – ${words.lead}`,
      `<h1>${words.lead}</h1>${paragraphs(prose, 3)}<a href="/${language}/pricing">${words.pricing}</a>`,
    );
    add('/about', `${words.about} | Tidepool`, `<h1>${words.about}</h1>${paragraphs(prose, 4)}`);
    add(
      '/pricing',
      `${words.pricing} | Tidepool`,
      `<h1>${words.pricing}</h1><section id="plans">${paragraphs(prose, 2)}</section>`,
    );
    const [before, streamed] = [
      '<!--$?--><template id="B:0"></template><p>Loading…</p><!--/$-->',
      paragraphs(prose, 1),
    ];
    add(
      '/login',
      `${words.login} | Tidepool`,
      `<h1>${words.login}</h1><form action="/api/login" method="post"><input type="password" name="p"></form>${before}<div hidden id="S:0">${streamed}</div>`,
      '',
      '<meta name="robots" content="noindex">',
    );
    const pages = parts(posts[language], 3);
    const at = (nth: number): string => (nth === 0 ? '/blog' : `/blog?page=${nth + 1}`);
    for (const [nth, shown] of pages.entries()) {
      const items = shown.map(
        ({ title, slug }) =>
          `<article><h2><a href="/${language}/blog/${encodeURIComponent(slug)}">${title}</a></h2><p>${prose.paragraph(2)}</p></article>`,
      );
      const nav = numbers(pages.length).map((other) => `<a href="/${language}${at(other)}">${other + 1}</a>`);
      add(at(nth), 'Blog | Tidepool', `<h1>Blog</h1>${items.join('')}<nav>${nav.join('')}</nav>`);
    }
    for (const [nth, { title, slug }] of posts[language].entries()) {
      const path = `/blog/${encodeURIComponent(slug)}`;
      const photo = `/_next/image?url=%2Fphotos%2F${nth}.jpg&w=1920&q=75`;
      routes[photo] = image(20);
      const data = {
        '@context': 'https://schema.org',
        '@type': 'BlogPosting',
        headline: title,
        datePublished: '2026-03-01',
        author: [{ '@type': 'Person', name: 'Jo Park' }],
        image: [`${origin}${photo}`],
      };
      add(
        path,
        `${title} | Tidepool`,
        `<article><h1>${title}</h1><img alt="${escaped(title)}" fetchPriority="high" width="1920" height="800" decoding="async" src="${escaped(photo)}">${paragraphs(prose, 4)}</article><a href="/${language}/blog">← Blog</a>`,
        jsonLd(data),
      );
    }
  }
  routes['/sitemap.xml'] = sitemap(listed.filter((url) => !url.includes('?')));
  return routes;
}

/** The languages of a path, as middleware sends them. Posts have no other language. */
function alternates(origin: string, path: string): string[] {
  const found = LANGUAGES.map(
    (language) => `<${origin}/${language}${path}>; rel="alternate"; hreflang="${language}"`,
  );
  return [...found, `<${origin}${path === '' ? '/' : path}>; rel="alternate"; hreflang="x-default"`];
}

function around(
  origin: string,
  language: Language,
  path: string,
  title: string,
  body: string,
  head: string,
): string {
  const words = MENU[language];
  const hasOthers = !path.startsWith('/blog') && path !== '/login';
  const languages = [
    ...LANGUAGES.map((one) => [one, `/${one}${path}`]),
    ...(path === '' ? [['x-default', '/']] : []),
  ].map(([one, at]) => `<link rel="alternate" hrefLang="${one}" href="${origin}${at}"/>`);
  const flight = JSON.stringify(
    `1:"$Sreact.fragment"\n2:I[7,["/_next/static/chunks/app/layout.js"],""]\n0:["$","html",null,{"lang":"${language}","children":["$","body",null,{}]}]\n`,
  );
  return `<!DOCTYPE html><html lang="${language}"><head><meta charSet="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><link rel="preload" href="/_next/static/media/a.p.woff2" as="font" crossorigin="" type="font/woff2"/><link rel="stylesheet" href="/_next/static/css/9c.css" data-precedence="next"/><link rel="preload" as="script" fetchPriority="low" href="/_next/static/chunks/webpack-1.js"/><script src="/_next/static/chunks/main-app.js" async=""></script><title>${title}</title><meta name="description" content="${escaped(title)}: ${language === 'en' ? 'what you need to know about it, in five minutes of reading and three pictures.' : 'was Sie darüber wissen sollten, in fünf Minuten und drei Bildern.'}"/><link rel="manifest" href="/manifest.webmanifest"/><link rel="canonical" href="${origin}/${language}${escaped(path)}"/>${hasOthers ? languages.join('') : ''}<meta property="og:image" content="${origin}/en/opengraph-image?8f2"/>${head}<script>document.querySelectorAll('body link[rel="icon"], body link[rel="apple-touch-icon"]').forEach(el => document.head.appendChild(el))</script><script src="/_next/static/chunks/polyfills.js" noModule=""></script></head><body class="__variable_1"><div hidden=""><!--$--><!--/$--></div><header><a href="/${language}">Tidepool</a><nav><a href="/${language}/about">${words.about}</a><a href="/${language}/pricing">${words.pricing}</a><a href="/${language}/pricing#plans">Plans</a><a href="/${language}/blog">${words.blog}</a></nav><a href="/${language}/login">${words.login}</a>${LANGUAGES.map((one) => `<a href="/${one}${hasOthers ? path : ''}" hrefLang="${one}">${one}</a>`).join('')}</header><main>${body}</main><footer><a href="/feed.xml">RSS</a><a href="https://github.com/tidepool" target="_blank" rel="noopener noreferrer"><svg viewBox="0 0 1 1"><title>GitHub</title></svg></a></footer><script>(self.__next_f=self.__next_f||[]).push([0])</script><script>self.__next_f.push([1,${flight}])</script><script>$RC=function(b,c,e){c=document.getElementById(c);c.parentNode.removeChild(c)};</script></body></html>`;
}
