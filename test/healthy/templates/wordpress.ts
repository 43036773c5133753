import { type Prose, paragraphs, proseOf, titlesOf } from '../prose.ts';
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
  pdf,
  plain,
  type Routes,
  rss,
  sitemap,
  sitemapIndex,
} from '../site.ts';

interface Post {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
  readonly category: number;
  readonly tag: number;
}

const CATEGORIES = ['Travel', 'Cooking', 'Workshop'];
const TAGS = ['autumn', 'wood', 'by train', 'for two'];

/** A blog as WordPress makes it: a block theme, the sitemaps and feeds of its core, and the head of an SEO plugin. */
export function wordpress(origin: string, random: () => number): Routes {
  const prose = proseOf('en', random);
  const posts = titlesOf(prose, 14).map(({ title, slug }, id): Post => {
    const [category, tag] = [id % CATEGORIES.length, (id * 7) % TAGS.length];
    return { id: id + 10, title, url: `${origin}/${slug}/`, excerpt: prose.paragraph(3), category, tag };
  });
  const routes: Routes = {
    '/robots.txt': plain(
      `User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nSitemap: ${origin}/wp-sitemap.xml\n`,
    ),
    '/feed/': rss('The Blue Bench', origin, posts),
    '/comments/feed/': rss('Comments for The Blue Bench', origin, []),
    '/xmlrpc.php?rsd': plain('<rsd version="1.0"></rsd>', { 'content-type': 'text/xml' }),
    '/wp-json/': json({ name: 'The Blue Bench', namespaces: ['wp/v2'] }),
    '/wp-content/uploads/2026/05/guide.pdf': pdf(),
    '*': missing('Page not found - The Blue Bench', '<h1>Page Not Found</h1><p>It may have been moved.</p>'),
  };
  const add = (url: string, body: string, head: Head): void => {
    routes[url.slice(origin.length)] = page(around(origin, posts, url, body, head));
  };
  addPosts(origin, posts, prose, routes, add);
  const lists = [
    { base: `${origin}/`, title: 'The Blue Bench', of: posts },
    ...CATEGORIES.map((title, nth) => ({
      base: `${origin}/category/${title.toLowerCase()}/`,
      title: `${title} Archives`,
      of: posts.filter(({ category }) => category === nth),
    })),
    ...TAGS.map((title, nth) => ({
      base: `${origin}/tag/${title.replace(' ', '-')}/`,
      title: `${title} Archives`,
      of: posts.filter(({ tag }) => tag === nth),
    })),
  ];
  for (const { base, title, of } of lists) addList(base, title, of, add);
  addFixedPages(origin, prose, add);
  addList(
    `${origin}/author/anna/`,
    'Anna Berg, Author at The Blue Bench',
    posts.slice(0, 5),
    add,
    'noindex, follow',
  );
  addLogin(origin, routes);
  routes['/wp-sitemap.xml'] = sitemapIndex([
    `${origin}/wp-sitemap-posts-post-1.xml`,
    `${origin}/wp-sitemap-pages-1.xml`,
  ]);
  routes['/wp-sitemap-posts-post-1.xml'] = sitemap(posts.map(({ url }) => url));
  routes['/wp-sitemap-pages-1.xml'] = sitemap([
    ...lists.map(({ base }) => base),
    ...['about', 'contact', 'privacy-policy'].map((slug) => `${origin}/${slug}/`),
  ]);
  return routes;
}

interface Head {
  readonly title: string;
  readonly description?: string;
  readonly robots?: string;
  readonly extra?: string;
}
type Add = (url: string, body: string, head: Head) => void;

function addPosts(origin: string, posts: readonly Post[], prose: Prose, routes: Routes, add: Add): void {
  for (const [index, post] of posts.entries()) {
    const photo = `/wp-content/uploads/2026/05/photo-${post.id}`;
    const [before, after] = [posts[index - 1], posts[index + 1]];
    const body = `<h1 class="wp-block-post-title">${post.title}</h1>
<figure class="wp-block-post-featured-image"><img width="1200" height="800" src="${origin}${photo}.png" alt="${escaped(post.title)}" srcset="${origin}${photo}.png 1200w, ${origin}${photo}-300x200.png 300w" sizes="(max-width: 1200px) 100vw, 1200px"></figure>
<div class="wp-block-template-part"><time datetime="2026-05-01T14:20:08+00:00"><a href="${post.url}">May 1, 2026</a></time> by <a class="wp-block-post-author-name__link" href="${origin}/author/anna/">Anna Berg</a> in <a href="${origin}/category/${(CATEGORIES[post.category] ?? '').toLowerCase()}/" rel="tag">${CATEGORIES[post.category]}</a></div>
<div class="entry-content wp-block-post-content">${paragraphs(prose, 3)}<h2 class="wp-block-heading">${prose.title()}</h2>${paragraphs(prose, 2)}
<figure class="wp-block-image"><a href="${origin}${photo}.png"><img loading="lazy" decoding="async" width="300" height="200" src="${origin}${photo}-300x200.png" alt="Detail of ${escaped(post.title)}"></a></figure>${paragraphs(prose, 1)}
<p><a href="https://en.wikipedia.org/wiki/Bench">Benches</a> and <a href="${origin}/wp-content/uploads/2026/05/guide.pdf">our guide (PDF)</a></p></div>
<div class="taxonomy-post_tag wp-block-post-terms"><a href="${origin}/tag/${(TAGS[post.tag] ?? '').replace(' ', '-')}/" rel="tag">${TAGS[post.tag]}</a></div>
${comments(post)}
<nav class="wp-block-group" aria-label="Posts">${before === undefined ? '' : `<div class="post-navigation-link-previous"><a href="${before.url}" rel="prev">${before.title}</a></div>`}${after === undefined ? '' : `<div class="post-navigation-link-next"><a href="${after.url}" rel="next">${after.title}</a></div>`}</nav>`;
    const extra = `<link rel="alternate" type="application/rss+xml" title="Comments Feed" href="${post.url}feed/">
<link rel="alternate" title="JSON" type="application/json" href="${origin}/wp-json/wp/v2/posts/${post.id}">
<link rel="shortlink" href="${origin}/?p=${post.id}">${jsonLd(graph(origin, post))}`;
    const head = { title: `${post.title} - The Blue Bench`, description: post.excerpt.slice(0, 150), extra };
    add(post.url, body, head);
    add(`${post.url}?replytocom=${post.id}7`, body, { ...head, robots: 'noindex, follow' });
    const path = post.url.slice(origin.length);
    routes[`${path}feed/`] = rss(`Comments on: ${post.title}`, post.url, []);
    routes[`/?p=${post.id}`] = moved(post.url);
    routes[`/wp-json/wp/v2/posts/${post.id}`] = json({ id: post.id, link: post.url });
    routes[`${photo}.png`] = image(90);
    routes[`${photo}-300x200.png`] = image(9);
  }
}

function comments({ id, url }: Post): string {
  return `<div id="comments" class="wp-block-comments"><h2>2 responses</h2><ol class="wp-block-comment-template">
<li id="comment-${id}7"><div class="wp-block-comment-author-name">Kim</div><a href="${url}#comment-${id}7">June 2, 2026</a><p>Thank you for number ${id}.</p><a rel="nofollow" class="comment-reply-link" href="${url}?replytocom=${id}7#respond" aria-label="Reply to Kim">Reply</a></li></ol>
<div id="respond"><form action="/wp-comments-post.php" method="post"><textarea name="comment" required></textarea><input type="submit" value="Post Comment"></form><a rel="nofollow" id="cancel-comment-reply-link" href="/#respond" style="display:none;">Cancel reply</a></div></div>`;
}

/** The graph of an SEO plugin, whose items name each other. */
function graph(origin: string, { title, url, excerpt, id }: Post): unknown {
  const author = { '@id': `${origin}/#/schema/person/1` };
  const picture = `${origin}/wp-content/uploads/2026/05/photo-${id}.png`;
  const bench = {
    '@type': 'Organization',
    '@id': `${origin}/#organization`,
    name: 'The Blue Bench',
    url: `${origin}/`,
  };
  const crumbs = [
    { '@type': 'ListItem', position: 1, name: 'Home', item: `${origin}/` },
    { '@type': 'ListItem', position: 2, name: title },
  ];
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Article',
        '@id': `${url}#article`,
        isPartOf: { '@id': url },
        author,
        headline: title,

        datePublished: '2026-05-01T14:20:08+00:00',
        dateModified: '2026-05-02T10:00:00+00:00',
        wordCount: 400,
        publisher: { '@id': `${origin}/#organization` },
        image: { '@id': `${url}#primaryimage` },
      },
      {
        '@type': 'WebPage',
        '@id': url,
        url,
        name: title,
        isPartOf: { '@id': `${origin}/#website` },
        description: excerpt,
        breadcrumb: { '@id': `${url}#breadcrumb` },
        inLanguage: 'en-US',
      },
      { '@type': 'ImageObject', '@id': `${url}#primaryimage`, url: picture, contentUrl: picture },
      { '@type': 'BreadcrumbList', '@id': `${url}#breadcrumb`, itemListElement: crumbs },
      {
        '@type': 'WebSite',
        '@id': `${origin}/#website`,
        url: `${origin}/`,
        name: 'The Blue Bench',
        potentialAction: [
          {
            '@type': 'SearchAction',
            target: { '@type': 'EntryPoint', urlTemplate: `${origin}/?s={search_term_string}` },
            'query-input': {
              '@type': 'PropertyValueSpecification',
              valueRequired: true,
              valueName: 'search_term_string',
            },
          },
        ],
      },
      bench,
      { '@type': 'Person', ...author, name: 'Anna Berg', url: `${origin}/author/anna/` },
    ],
  };
}

function addList(base: string, title: string, posts: readonly Post[], add: Add, robots?: string): void {
  const pages = parts(posts, 5);
  const at = (nth: number): string => (nth === 0 ? base : `${base}page/${nth + 1}/`);
  for (const [nth, shown] of pages.entries()) {
    const items = shown.map(
      (post) =>
        `<li class="wp-block-post"><h2 class="wp-block-post-title"><a href="${post.url}" target="_self">${post.title}</a></h2><div class="wp-block-post-excerpt"><p>${post.excerpt} <a class="wp-block-post-excerpt__more-link" href="${post.url}">Read more</a></p></div></li>`,
    );
    const nav = numbers(pages.length).map((other) =>
      other === nth
        ? `<span aria-current="page">${other + 1}</span>`
        : `<a class="page-numbers" href="${at(other)}">${other + 1}</a>`,
    );
    const extra = `${nth > 0 ? `<link rel="prev" href="${at(nth - 1)}">` : ''}${nth + 1 < pages.length ? `<link rel="next" href="${at(nth + 1)}">` : ''}`;
    const heading = title.replace(/ - .*/, '');
    add(
      at(nth),
      `<h1 class="wp-block-query-title">${heading}</h1><ul class="wp-block-post-template">${items.join('\n')}</ul><nav class="wp-block-query-pagination">${nav.join('')}</nav>`,
      {
        title: `${title}${nth === 0 ? '' : ` - Page ${nth + 1} of ${pages.length}`} - The Blue Bench`,
        ...(robots === undefined ? {} : { robots }),
        extra,
      },
    );
  }
}

function addFixedPages(origin: string, prose: Prose, add: Add): void {
  for (const [slug, title] of [
    ['about', 'About'],
    ['contact', 'Contact'],
    ['privacy-policy', 'Privacy Policy'],
  ] as const) {
    const form =
      slug === 'contact'
        ? `<form action="/contact/#wpcf7-f5-p9-o1" method="post" class="wpcf7-form"><input type="email" name="your-email"><input type="submit" value="Send"></form><a href="mailto:hello@example.com">hello@example.com</a> <a href="tel:+4930123">+49 30 123</a>`
        : '';
    add(`${origin}/${slug}/`, `<h1>${title}</h1>${paragraphs(prose, 4)}${form}`, {
      title: `${title} - The Blue Bench`,
      description: prose.paragraph(2).slice(0, 150),
    });
  }
}

function addLogin(origin: string, routes: Routes): void {
  for (const [query, title] of [
    ['', 'Log In'],
    ['?action=lostpassword', 'Lost Password'],
  ] as const)
    routes[`/wp-login.php${query}`] = page(
      `<!DOCTYPE html><html lang="en-US"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title>${title} &lsaquo; The Blue Bench &#8212; WordPress</title><meta name='robots' content='noindex, nofollow, noarchive'></head><body class="login"><h1><a href="https://wordpress.org/">Powered by WordPress</a></h1><form action="${origin}/wp-login.php" method="post"><input type="text" name="log"><input type="password" name="pwd"></form><p id="nav"><a href="${origin}/wp-login.php?action=lostpassword">Lost your password?</a></p><p id="backtoblog"><a href="${origin}/">&larr; Go to The Blue Bench</a></p></body></html>`,
    );
}

function around(origin: string, posts: readonly Post[], url: string, body: string, head: Head): string {
  const robots =
    head.robots ?? 'index, follow, max-image-preview:large, max-snippet:-1, max-video-preview:-1';
  const canonical = url.replace(/\?.*/, '');
  const isShown = !robots.startsWith('noindex') || url !== canonical;
  return `<!DOCTYPE html>
<html lang="en-US">
<head>
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name='robots' content='${robots}' />
<title>${head.title}</title>
${head.description === undefined ? '' : `<meta name="description" content="${escaped(head.description)}" />`}
${isShown ? `<link rel="canonical" href="${canonical}" />` : ''}
<meta property="og:locale" content="en_US" />
<meta property="og:title" content="${escaped(head.title)}" />
<link rel="alternate" type="application/rss+xml" title="The Blue Bench &raquo; Feed" href="${origin}/feed/" />
<link rel="alternate" type="application/rss+xml" title="The Blue Bench &raquo; Comments Feed" href="${origin}/comments/feed/" />
<link rel="https://api.w.org/" href="${origin}/wp-json/" /><link rel="EditURI" type="application/rsd+xml" title="RSD" href="${origin}/xmlrpc.php?rsd" />
<meta name="generator" content="WordPress 6.8" />
${head.extra ?? ''}
<style id='wp-block-library-inline-css'>.wp-block-post{margin:0}</style>
</head>
<body class="wp-embed-responsive">
<a class="skip-link screen-reader-text" href="#wp--skip-link--target">Skip to content</a>
<div class="wp-site-blocks"><header class="wp-block-template-part"><p class="wp-block-site-title"><a href="${origin}" target="_self" rel="home">The Blue Bench</a></p>
<nav class="wp-block-navigation" aria-label="Navigation"><ul><li><a href="${origin}/">Home</a></li>${CATEGORIES.map((name) => `<li><a class="wp-block-navigation-item__content" href="${origin}/category/${name.toLowerCase()}/"><span>${name}</span></a></li>`).join('')}<li><a href="${origin}/about/">About</a></li><li><a href="#">More</a></li></ul></nav></header>
<main class="wp-block-group" id="wp--skip-link--target">${body}</main>
<aside><form role="search" method="get" action="${origin}/"><input type="search" name="s"><button type="submit">Search</button></form>
<h3>Recent Posts</h3><ul class="wp-block-latest-posts__list">${posts
    .slice(0, 5)
    .map(
      (post) => `<li><a class="wp-block-latest-posts__post-title" href="${post.url}">${post.title}</a></li>`,
    )
    .join(
      '',
    )}</ul><p class="wp-block-tag-cloud">${TAGS.map((tag) => `<a href="${origin}/tag/${tag.replace(' ', '-')}/" class="tag-cloud-link">${tag}</a>`).join(' ')}</p></aside>
<footer class="wp-block-template-part"><a href="${origin}/contact/">Contact</a> <a rel="privacy-policy" href="${origin}/privacy-policy/">Privacy</a> <a rel="nofollow" href="${origin}/wp-login.php">Log in</a> <a href="${origin}/feed/">Entries feed</a> <a href="${origin}/comments/feed/">Comments feed</a> <a href="https://wordpress.org" rel="nofollow">WordPress</a> <a href="${origin}/wp-admin/">Admin</a></footer></div>
<script src="${origin}/wp-includes/js/comment-reply.min.js?ver=6.8" id="comment-reply-js" async data-wp-strategy="async"></script>
</body></html>`;
}
