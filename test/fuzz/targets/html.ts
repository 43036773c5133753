import { parsePage } from '../../../src/site/crawler/parse/parse-page.ts';
import { fetched, RULES } from '../../support/fetched-page.ts';
import { Fault, plainTarget, same, type Verdict } from '../target.ts';

/** Pages of any site: texts and links are of the page, counts are counts, and a second reading says the same. */
function check(input: Buffer): Verdict {
  const found = parsePage(fetched(input), RULES);
  const { page, links, items } = found;
  for (const [name, value] of Object.entries(page)) {
    if (typeof value === 'number' && (!Number.isFinite(value) || value < 0))
      throw new Fault(`${name} is no number from 0`, value);
    if (value === undefined) throw new Fault(`${name} is not there`, name);
  }
  for (const { source, target } of links.map((link) => link as unknown as Record<string, string>)) {
    if (source !== undefined && !URL.canParse(source)) throw new Fault('a link has no source', source);
    if (target !== undefined && !URL.canParse(target)) throw new Fault('a link leads to no URL', target);
  }
  same(parsePage(fetched(input), RULES), found, 'a second reading');
  const html = input.toString();
  const plain = /^<title>([a-z]+)<\/title><p>([a-z ]*)<\/p>$/.exec(html);
  if (plain !== null) same([page.title, links.length, items.length], [plain[1], 0, 0], 'a plain page');
  // Numbers and lists are rows of a table: their JSON must be whole.
  JSON.parse(JSON.stringify({ page, links, items }));
  return page.title === null && links.length === 0 ? 'refused' : 'taken';
}

/** HTML of any site. */
export const html = plainTarget(
  {
    name: 'html',
    seeds: [
      '<title>a</title><p>b</p>',
      '<!DOCTYPE html><html lang="en"><head><title>T</title><meta name="description" content="d"><meta name="robots" content="noindex,max-snippet:0"><link rel="canonical" href="/a"><link rel="alternate" hreflang="de" href="/de"><meta http-equiv="refresh" content="0; url=/b"><base href="/x/"></head><body><h1>A</h1><a href="/a" rel="nofollow">a</a><img src="i.png" alt=""></body></html>',
      '<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Product","name":"a","offers":{"@type":"Offer","price":1}}]}</script>',
      '<div itemscope itemtype="https://schema.org/Product" itemref="x"><span itemprop="name">a</span></div><p id="x" itemprop="b">c</p>',
      '<div vocab="https://schema.org/" typeof="Product" resource="#a"><span property="name">a</span></div>',
      '<svg><title>s</title></svg><template><a href="/t">t</a></template><table><tr><a href="/u">u</a><math><mi><plaintext>',
    ],
    words: [
      '<a href="',
      '<script>',
      '</script>',
      '<!--',
      '-->',
      '<table>',
      '<svg>',
      '<math>',
      '<template>',
      '<select>',
      '<plaintext>',
      '<frameset>',
      'itemscope',
      'itemprop',
      'itemref',
      'typeof',
      '"@type"',
      '"@id"',
      '"@graph"',
      'href="javascript:',
      'http://[',
      'https://a:99999/',
      '&#0;',
      '&#xD800;',
      '<meta charset="utf-16">',
      '<base href="',
      'noindex',
      'max-snippet:',
      'rel="canonical"',
    ],
    shortRound: 150,
  },
  check,
);
