import { paragraphs, proseOf, titlesOf } from '../prose.ts';
import {
  escaped,
  image,
  jsonLd,
  missing,
  numbers,
  page,
  parts,
  plain,
  type Routes,
  sitemap,
} from '../site.ts';

interface Words {
  readonly site: string;
  readonly about: string;
  readonly news: string;
  readonly more: string;
  readonly page: (nth: number) => string;
}

const WORDS: Readonly<Record<string, Words>> = {
  ja: {
    site: '山の手帖',
    about: '会社概要',
    news: 'お知らせ',
    more: '続きを読む',
    page: (nth) => `${nth}ページ目`,
  },
  'zh-Hans': {
    site: '山间日报',
    about: '关于我们',
    news: '新闻',
    more: '阅读全文',
    page: (nth) => `第${nth}页`,
  },
  ko: { site: '산마루', about: '회사 소개', news: '소식', more: '더 보기', page: (nth) => `${nth}페이지` },
  ar: {
    site: 'أخبار الجبل',
    about: 'من نحن',
    news: 'الأخبار',
    more: 'اقرأ المزيد',
    page: (nth) => `صفحة ${nth}`,
  },
  en: {
    site: 'Mountain News',
    about: 'About us',
    news: 'News',
    more: 'Read more',
    page: (nth) => `Page ${nth}`,
  },
};

/** News in Japanese, Chinese and Korean, with URLs in these scripts. */
export function cjk(origin: string, random: () => number): Routes {
  return magazine(origin, ['ja', 'zh-Hans', 'ko'], random);
}

/** News in Arabic, written from right to left, and in English. */
export function rtl(origin: string, random: () => number): Routes {
  return magazine(origin, ['ar', 'en'], random);
}

/** A magazine in several languages: the first one is at the root, and its pages name the others. */
function magazine(origin: string, languages: readonly string[], random: () => number): Routes {
  const routes: Routes = {
    '/robots.txt': plain(`User-agent: *\nAllow: /\n\nSitemap: ${origin}/sitemap.xml\n`),
    '/images/cover.png': image(50),
    '*': missing('404', '<p>404</p><a href="/">/</a>'),
  };
  const root = (language: string): string => (language === languages[0] ? '' : `/${language.toLowerCase()}`);
  for (const language of languages) {
    const prose = proseOf(language.slice(0, 2), random);
    const words = WORDS[language] as Words;
    const articles = titlesOf(prose, 7).map(({ title, slug }, nth) => ({
      title,
      path:
        nth % 2 === 0
          ? `${root(language)}/${encodeURI(words.news)}/${encodeURIComponent(slug)}/`
          : `${root(language)}/article/${1000 + nth}.html`,
      text: prose.paragraph(2),
    }));
    const add = (path: string, title: string, body: string, shared?: string, head = ''): void => {
      const url = `${origin}${root(language)}${path}`;
      const others = languages.map((one) => [one, `${origin}${root(one)}${shared}`] as const);
      const hreflang =
        shared === undefined
          ? ''
          : [...others, ['x-default', `${origin}${shared}`]]
              .map(([one, at]) => `<link rel="alternate" hreflang="${one}" href="${at}">`)
              .join('\n');
      const links = others
        .map(
          ([one, at]) => `<a href="${shared === undefined ? `${root(one)}/` : at}" lang="${one}">${one}</a>`,
        )
        .join(' ');
      routes[url.slice(origin.length)] = page(
        `<!DOCTYPE html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><link rel="canonical" href="${url}">
${hreflang}${head}</head><body><header><a href="${root(language)}/">${words.site}</a><nav><ul><li><a href="${root(language)}/${encodeURI(words.news)}/">${words.news}</a></li><li><a href="${root(language)}/about/">${words.about}</a></li></ul></nav><div class="lang">${links}</div></header>
<main>${body}</main><footer><p>© 2026 ${words.site}‏</p><a href="${root(language)}/about/">${words.about}</a></footer></body></html>`,
        { 'content-language': language },
      );
    };
    add('/', `${words.site} | ${words.news}`, `<h1>${words.site}</h1>${paragraphs(prose, 2)}`, '/');
    add(
      '/about/',
      `${words.about} | ${words.site}`,
      `<h1>${words.about}</h1>${paragraphs(prose, 4)}`,
      '/about/',
    );
    const pages = parts(articles, 3);
    // Chinese systems number files, and leave the title as it is.
    const isFile = language === 'zh-Hans';
    const numbered = (nth: number): string => (isFile ? `list_${nth + 1}.html` : `page/${nth + 1}/`);
    const at = (nth: number): string => `/${encodeURI(words.news)}/${nth === 0 ? '' : numbered(nth)}`;
    for (const [nth, shown] of pages.entries()) {
      const items = shown.map(
        ({ title, path, text }) =>
          `<article><h2><a href="${path}">${title}</a></h2><p>${text}</p><a href="${path}">${words.more}</a></article>`,
      );
      const nav = numbers(pages.length).map(
        (other) => `<a href="${root(language)}${at(other)}">${other + 1}</a>`,
      );
      add(
        at(nth),
        `${words.news}${nth === 0 || isFile ? '' : ` - ${words.page(nth + 1)}`} | ${words.site}`,
        `<h1>${words.news}</h1>${items.join('')}<nav>${nav.join('')}</nav>`,
      );
    }
    for (const { title, path } of articles) {
      const data = {
        '@context': 'https://schema.org',
        '@type': 'NewsArticle',
        headline: title,
        datePublished: '2026-06-01T09:00:00+09:00',
        author: { '@type': 'Organization', name: words.site },
        image: `${origin}/images/cover.png`,
      };
      add(
        path.slice(root(language).length),
        `${title} | ${words.site}`,
        `<article><h1>${title}</h1><img src="/images/cover.png" alt="${escaped(title)}" width="800" height="450">${paragraphs(prose, 4)}</article>`,
        undefined,
        jsonLd(data),
      );
    }
  }
  routes['/sitemap.xml'] = sitemap(
    Object.entries(routes)
      .filter(
        ([path, { status, headers }]) =>
          path !== '*' && status === undefined && headers?.['content-type'] === 'text/html; charset=utf-8',
      )
      .map(([path]) => `${origin}${path}`),
  );
  return routes;
}
