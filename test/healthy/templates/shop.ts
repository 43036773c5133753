import { type Prose, paragraphs, proseOf, titlesOf } from '../prose.ts';
import {
  atom,
  escaped,
  image,
  json,
  jsonLd,
  missing,
  numbers,
  page,
  parts,
  plain,
  type Routes,
  sitemap,
  sitemapIndex,
} from '../site.ts';

interface Product {
  readonly title: string;
  readonly handle: string;
  readonly price: string;
  readonly text: string;
  readonly collection: number;
}

const COLLECTIONS = ['Chairs', 'Lamps', 'Tables'];

/** A shop as the themes of Shopify make it: products below collections, variants, feeds, and what robots.txt denies. */
export function shop(origin: string, random: () => number): Routes {
  const prose = proseOf('en', random);
  const products = titlesOf(prose, 15).map(({ title, slug }, id): Product => {
    const text = prose.paragraph(4);
    return { title, handle: slug, price: `${20 + id}.00`, text, collection: id % COLLECTIONS.length };
  });
  const routes: Routes = {
    '/robots.txt': plain(
      `# we use Shopify as our ecommerce platform\nUser-agent: *\nDisallow: /admin\nDisallow: /cart\nDisallow: /orders\nDisallow: /checkouts/\nDisallow: /account\nDisallow: /collections/*sort_by*\nDisallow: /*/collections/*sort_by*\nDisallow: /collections/*+*\nDisallow: /policies/\nDisallow: /search\nDisallow: /*?*oseid=*\nSitemap: ${origin}/sitemap.xml\n\nUser-agent: adsbot-google\nDisallow: /checkouts/\nDisallow: /carts\nDisallow: /orders\n\nUser-agent: AhrefsBot\nCrawl-delay: 10\nDisallow: /cart\n`,
    ),
    '/cdn/shop/files/chair.png?v=1': image(40),
    '*': missing(
      '404 Not Found – Oak & Linen',
      '<h1>Page not found</h1><a href="/collections/all">Continue shopping</a>',
    ),
  };
  const add = (path: string, title: string, body: string, head = ''): void => {
    routes[path] = page(around(origin, path, title, body, head));
  };
  for (const product of products) addProduct(origin, product, products, add, routes);
  addCollection('/collections/all', 'Products', '', products, add);
  for (const [nth, name] of COLLECTIONS.entries()) {
    const path = `/collections/${name.toLowerCase()}`;
    const of = products.filter(({ collection }) => collection === nth);
    addCollection(path, name, prose.paragraph(2), of, add, path);
    routes[`${path}.atom`] = atom(`<feed xmlns="http://www.w3.org/2005/Atom"><title>${name}</title></feed>`);
  }
  const tiles = COLLECTIONS.map(
    (name) => `<li><a href="/collections/${name.toLowerCase()}">${name}</a></li>`,
  ).join('');
  add(
    '/collections',
    'Collections – Oak & Linen',
    `<h1>Collections</h1><ul class="collection-list">${tiles}</ul>`,
  );
  addTexts(origin, prose, add, routes);
  add(
    '/',
    'Oak & Linen',
    `<div class="banner"><h2 class="banner__heading">Made to stay</h2><a href="/collections/all" class="button">Shop all</a></div><ul class="grid product-grid">${products
      .slice(0, 6)
      .map((one) => card(one, ''))
      .join('')}</ul><div class="rich-text">${paragraphs(prose, 2)}</div>`,
  );
  routes['/sitemap.xml'] = sitemapIndex([
    `${origin}/sitemap_products_1.xml?from=1&to=9`,
    `${origin}/sitemap_collections_1.xml?from=1&to=9`,
  ]);
  routes['/sitemap_products_1.xml?from=1&to=9'] = sitemap([
    `${origin}/`,
    ...products.map(({ handle }) => `${origin}/products/${handle}`),
  ]);
  routes['/sitemap_collections_1.xml?from=1&to=9'] = sitemap(
    [
      '/collections/all',
      ...COLLECTIONS.map((name) => `/collections/${name.toLowerCase()}`),
      '/pages/about-us',
    ].map((path) => `${origin}${path}`),
  );
  return routes;
}

type Add = (path: string, title: string, body: string, head?: string) => void;

function addProduct(
  origin: string,
  product: Product,
  all: readonly Product[],
  add: Add,
  routes: Routes,
): void {
  const { title, handle, price, text, collection } = product;
  const path = `/products/${handle}`;
  const others = all.filter((one) => one.collection === collection && one !== product).slice(0, 4);
  const offers = ['Oak', 'Ash'].map((_, nth) => ({
    '@type': 'Offer',
    availability: 'http://schema.org/InStock',
    price,
    priceCurrency: 'USD',
    url: `${origin}${path}?variant=4${nth}`,
  }));
  const data = {
    '@context': 'http://schema.org/',
    '@id': `${path}#product`,
    '@type': 'Product',
    name: title,
    description: text,
    brand: { '@type': 'Brand', name: 'Oak & Linen' },
    offers,
    url: `${origin}${path}`,
    image: `${origin}/cdn/shop/files/chair.png?v=1`,
  };
  const body = `<section class="product" id="MainProduct"><h1>${title}</h1><div class="product__media"><img src="/cdn/shop/files/chair.png?v=1" alt="${escaped(title)}" width="600" height="600"></div>
<span class="price-item price-item--regular">$${price} USD</span>
<form method="post" action="/cart/add"><input type="hidden" name="id" value="4"><select name="Wood"><option>Oak</option><option>Ash</option></select><button type="submit" name="add">Add to cart</button></form>
<a href="${path}?variant=40">Oak</a> <a href="${path}?variant=41">Ash</a>
<div class="product__description rte"><p>${text}</p></div>${SHIPPING}</section>
<section class="related"><h2>You may also like</h2><ul class="grid product-grid">${others.map((one) => card(one, '')).join('')}</ul></section>`;
  const head = `<link rel="alternate" type="application/json+oembed" href="${origin}${path}.oembed">${jsonLd(data)}<meta property="og:type" content="product">`;
  const within = `/collections/${(COLLECTIONS[collection] ?? '').toLowerCase()}${path}`;
  for (const at of [path, `${path}?variant=40`, `${path}?variant=41`, within])
    add(at, `${title} – Oak & Linen`, body, head);
  routes[`${path}.oembed`] = json({ product_id: handle, title });
}

const SHIPPING = `<details><summary><h2>Shipping &amp; returns</h2></summary><p>We ship from our workshop within two days. Each parcel is packed in paper and wood wool, without plastic. You may return what you do not like within thirty days, and we pay for the way back. Write to us before you send it, and we tell you where to bring it. Large furniture is fetched at your door by a carrier of our own.</p></details>
<details><summary><h2>Care</h2></summary><p>Wipe it with a damp cloth and dry it afterwards. Oil the wood once a year, in spring if you can, and keep it away from radiators and from the sun at noon.</p></details>`;

function card({ title, handle, price }: Product, within: string): string {
  return `<li class="grid__item"><div class="card"><h3 class="card__heading"><a href="${within}/products/${handle}" class="full-unstyled-link">${title}</a></h3><img src="/cdn/shop/files/chair.png?v=1" alt="${escaped(title)}" width="533" height="533" loading="lazy"><span class="visually-hidden">Regular price</span><span class="price-item">$${price} USD</span></div></li>`;
}

function addCollection(
  path: string,
  name: string,
  text: string,
  of: readonly Product[],
  add: Add,
  within = '',
): void {
  const pages = parts(of, 4);
  const at = (nth: number): string => (nth === 0 ? path : `${path}?page=${nth + 1}`);
  for (const [nth, shown] of pages.entries()) {
    const links = numbers(pages.length).map(
      (other) => `<li><a href="${at(other)}" class="pagination__item">${other + 1}</a></li>`,
    );
    add(
      at(nth),
      `${name}${nth === 0 ? '' : ` – Page ${nth + 1}`} – Oak & Linen`,
      `<div class="collection-hero"><h1>${name}</h1><div class="rte"><p>${text}</p></div></div><a href="${path}?sort_by=price-ascending">Price, low to high</a><ul class="grid product-grid">${shown.map((one) => card(one, within)).join('')}</ul><nav class="pagination" role="navigation" aria-label="Pagination"><ul>${links.join('')}</ul></nav>`,
      path === '/collections/all'
        ? ''
        : `<link rel="alternate" type="application/atom+xml" href="${path}.atom">`,
    );
  }
}

function addTexts(origin: string, prose: Prose, add: Add, routes: Routes): void {
  add(
    '/pages/about-us',
    'About us – Oak & Linen',
    `<h1>About us</h1><div class="rte">${paragraphs(prose, 4)}</div>`,
  );
  add(
    '/pages/contact',
    'Contact – Oak & Linen',
    `<h1>Contact</h1><form method="post" action="/contact#ContactForm"><input name="contact[email]"><button>Send</button></form>`,
  );
  const articles = titlesOf(prose, 3);
  const list = articles.map(
    ({ title, slug }) =>
      `<article><h2><a href="/blogs/news/${slug}">${title}</a></h2><p>${prose.paragraph(2)}</p></article>`,
  );
  add(
    '/blogs/news',
    'News – Oak & Linen',
    `<h1>News</h1>${list.join('')}`,
    '<link rel="alternate" type="application/atom+xml" title="Feed" href="/blogs/news.atom">',
  );
  routes['/blogs/news.atom'] = atom('<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title></feed>');
  for (const { title, slug } of articles) {
    const data = {
      '@context': 'http://schema.org/',
      '@type': 'BlogPosting',
      headline: title,
      author: { '@type': 'Person', name: 'Ida' },
      datePublished: '2026-04-01T08:00:00Z',
      mainEntityOfPage: { '@type': 'WebPage', '@id': `${origin}/blogs/news/${slug}` },
    };
    add(
      `/blogs/news/${slug}`,
      `${title} – Oak & Linen`,
      `<article><h1>${title}</h1><div class="rte">${paragraphs(prose, 4)}</div></article><a href="/blogs/news">Back to blog</a>`,
      jsonLd(data),
    );
  }
}

function around(origin: string, path: string, title: string, body: string, head: string): string {
  const canonical = path.replace(/\?variant=.*/, '').replace(/^\/collections\/[^/]+(?=\/products\/)/, '');
  const organization = {
    '@context': 'http://schema.org',
    '@type': 'Organization',
    name: 'Oak & Linen',
    sameAs: ['https://www.instagram.com/oak'],
    url: origin,
  };
  return `<!doctype html>
<html class="no-js" lang="en">
<head><meta charset="utf-8"><meta http-equiv="X-UA-Compatible" content="IE=edge"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="theme-color" content="">
<link rel="canonical" href="${origin}${escaped(canonical)}"><title>${escaped(title)}</title>
<meta property="og:site_name" content="Oak &amp; Linen"><meta property="og:url" content="${origin}${escaped(canonical)}">
<script>window.performance && window.performance.mark && window.performance.mark('shopify.content_for_header.start');</script>
<script id="shopify-features" type="application/json">{"accessToken":"7","betas":["rich-media-storefront-analytics"],"domain":"oak.example","locale":"en"}</script>
<script>var Shopify = Shopify || {}; Shopify.shop = "oak.myshopify.com"; Shopify.routes = {root: "/"};</script>
${head}</head>
<body class="gradient"><a class="skip-to-content-link button visually-hidden" href="#MainContent">Skip to content</a>
<div id="shopify-section-announcement-bar" class="shopify-section"><p>Free shipping from $80</p></div>
<header class="header"><a href="/" class="header__heading-link">Oak &amp; Linen</a><nav class="header__inline-menu"><ul>${COLLECTIONS.map((name) => `<li><a href="/collections/${name.toLowerCase()}">${name}</a></li>`).join('')}<li><a href="/collections/all">All</a></li><li><a href="/collections">Collections</a></li><li><a href="/blogs/news">News</a></li><li><a href="/pages/about-us">About us</a></li></ul></nav>
<form action="/search" method="get" role="search"><input type="search" name="q"></form><a href="/account/login" class="header__icon">Log in</a><a href="/cart" class="header__icon" id="cart-icon-bubble"><span class="visually-hidden">Cart</span></a><a href="/search" class="header__icon">Search</a></header>
<main id="MainContent" class="content-for-layout focus-none" role="main" tabindex="-1">${body}</main>
<footer class="footer"><a href="/pages/contact">Contact</a> <a href="/policies/privacy-policy">Privacy policy</a> <a href="/policies/refund-policy">Refund policy</a><form method="post" action="/localization"><select name="country_code"><option value="US">United States</option></select></form><small>&copy; 2026, <a href="/" title="">Oak &amp; Linen</a> <a target="_blank" rel="nofollow" href="https://www.shopify.com?utm_campaign=poweredby&utm_medium=shopify&utm_source=onlinestore">Powered by Shopify</a></small></footer>
${jsonLd(organization)}</body></html>`;
}
