import { expect, test } from 'vitest';
import { runJobs } from '../../../../src/site/crawler/jobs/run-jobs.ts';
import {
  type CrawledPage,
  crawlDatabase,
  page,
  pagesAfterJobs,
  pagesByPath,
  SITE,
} from '../../../support/crawl-records.ts';
import { parsed } from '../../../support/fetched-page.ts';
import { seededRandom } from '../../../support/random.ts';

const random = seededRandom(59);
const VOCABULARY = Array.from({ length: 2_000 }, (_, n) => `w${n.toString(36)}`);

/** Words as a language has them: few of them are most of a text. */
function words(count: number): string[] {
  return Array.from({ length: count }, () => VOCABULARY[Math.floor(VOCABULARY.length * random() ** 3)] ?? '');
}

/** The same words, some of them changed, evenly spread. */
function changed(text: readonly string[], share: number): string[] {
  const step = Math.round(1 / share);
  return text.map((word, at) => (at % step === step >> 1 ? `${word}x` : word));
}

function divs(text: readonly string[], size: number): string {
  const lines = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
    text.slice(n * size, (n + 1) * size),
  );
  return lines.map((line) => `<div>${line.join(' ')}</div>`).join('');
}

function pageOf(path: string, body: string, more: Partial<CrawledPage> = {}): CrawledPage {
  const { text_sample, simhash } = parsed(`<title>t</title><body>${body}`).page;
  return page(path, { text_sample, simhash, ...more });
}

async function flagged(pages: readonly CrawledPage[]): Promise<Set<string>> {
  const read = await pagesAfterJobs({ pages }, ['nearduplicate_content']);
  return new Set(Object.keys(read).filter((path) => read[path]?.nearduplicate_content === true));
}

/** A site of pages with texts of their own, in a template; each tenth has a near duplicate. */
function siteOf(own: number, template: (content: string, number: number) => string): CrawledPage[] {
  return Array.from({ length: 100 }, (_, number) => {
    const text = words(own);
    const only = pageOf(
      number % 10 === 0 ? `/pair-${number}-a` : `/only-${number}`,
      template(divs(text, 40), number),
    );
    const copy = () => pageOf(`/pair-${number}-b`, template(divs(changed(text, 0.03), 40), number));
    return number % 10 === 0 ? [only, copy()] : [only];
  }).flat();
}

const MENU = words(300);
const MEGA_MENU = words(900);
const [FOOTER, OTHER_MENU] = [words(60), words(300)];
const SITES: Readonly<Record<string, readonly CrawledPage[]>> = {
  'a menu of 300 words in plain divs': siteOf(100, (content) => divs(MENU, 3) + content),
  'a menu as one text, and a footer': siteOf(100, (content) => divs(MENU, 300) + content + divs(FOOTER, 60)),
  'a menu of 900 words, and 60 of its own': siteOf(60, (content) => divs(MEGA_MENU, 4) + content),
  'two templates': siteOf(100, (content, number) => divs(number < 50 ? MENU : OTHER_MENU, 5) + content),
  'long texts': siteOf(1_500, (content) => divs(MENU, 3) + content),
  'no template': siteOf(250, (content) => content),
};

test.for(Object.entries(SITES))('only near duplicates are found on a site with %s', async ([, pages]) => {
  const found = await flagged(pages);
  const pairs = pages.filter(({ urlpath }) => urlpath.startsWith('/pair'));
  const right = pairs.filter(({ urlpath }) => found.has(urlpath)).length;
  expect({ recall: right / pairs.length, precision: right / found.size }).toEqual({
    recall: 1,
    precision: 1,
  });
});

test('pages that differ only in a place name are near duplicates, even if they are most of a site', async () => {
  const paragraphs = Array.from({ length: 5 }, () => words(60));
  const pages = Array.from({ length: 40 }, (_, n) =>
    pageOf(
      `/plumber-${n}`,
      divs(MENU, 3) + paragraphs.map((text) => divs([`place${n}`, ...text], 61)).join(''),
    ),
  );
  expect((await flagged(pages)).size).toBe(40);
});

test('pages with hardly more than the template are compared as a whole', async () => {
  const pages = Array.from({ length: 20 }, (_, n) => pageOf(`/p${n}`, `${divs(MENU, 3)}<p>Photo ${n}</p>`));
  const others = Array.from({ length: 20 }, (_, n) => pageOf(`/o${n}`, divs(MENU, 3) + divs(words(80), 40)));
  expect([...(await flagged([...pages, ...others]))].every((path) => path.startsWith('/p'))).toBe(true);
  expect((await flagged([...pages, ...others])).size).toBe(20);
});

test('members, figures and canonical status of a cluster', async () => {
  const text = Array.from({ length: 50 }, (_, n) => `word${n}`);
  const connection = await crawlDatabase({
    pages: [
      pageOf('/a', text.join(' ')),
      pageOf('/b', [...text.slice(0, 49), 'other'].join(' ')),
      pageOf('/c', text.join(' '), { rel_canonical: `${SITE}/a` }),
      pageOf('/other', words(50).join(' ')),
      pageOf('/short', 'Nine words are not enough'),
      pageOf('/gone', text.join(' '), { status_code: 404 }),
    ],
  });
  await runJobs(connection);
  const pages = await pagesByPath(connection, [
    'clusters',
    'nearduplicate_content',
    'nearduplicate_content_similarity',
    'nearduplicate_status',
    'has_nearduplicate_issue',
  ]);
  const [cluster] = await connection.jsonRows('SELECT * FROM clusters');
  expect(cluster).toEqual({
    cluster_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    size: '3',
    average_similarity: 0.9867,
    canonical_status: 'canonical_not_set',
    sample_urls: [`${SITE}/a`, `${SITE}/b`, `${SITE}/c`],
  });
  expect(pages['/a']).toEqual({
    clusters: [cluster?.cluster_id],
    nearduplicate_content: true,
    nearduplicate_content_similarity: 1,
    nearduplicate_status: 'canonical_not_set',
    has_nearduplicate_issue: true,
  });
  expect(pages['/b']).toMatchObject({ nearduplicate_content_similarity: 0.98 });
  expect(pages['/c']).toMatchObject({ nearduplicate_status: 'canonical_ok', has_nearduplicate_issue: false });
  expect(pages['/other']).toMatchObject({
    clusters: null,
    nearduplicate_content: false,
    nearduplicate_status: null,
  });
  expect(pages['/gone']).toMatchObject({
    clusters: null,
    nearduplicate_content: null,
    has_nearduplicate_issue: null,
  });
});
