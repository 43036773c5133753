import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accessLog } from '../../../scripts/demo-site/access-log.ts';
import { demandExport } from '../../../scripts/demo-site/demand-export.ts';
import { readFaults } from '../../../scripts/demo-site/faults.ts';
import { serveDemoSite } from '../../../scripts/demo-site/serve-site.ts';
import { capture } from '../../app/cli/capture.ts';
import { demoDocuments } from '../../support/demo-documents.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { questions, faults: all } = readFaults();
/** Those that pages show without rendering. */
const faults = all.filter(({ since }) => since < 3);

const LIMITED = ['q32_what_to_do_first'];
/** The issues that faults were planted for. The site has others of its own, such as long titles. */
const PLANTED = new Set<unknown>(
  faults.flatMap(({ answers }) => (answers.q32_what_to_do_first ?? []).map(([issue]) => issue)),
);

const SLOW = faults.flatMap(({ answers }) =>
  (answers.q32_what_to_do_first ?? []).filter(([issue]) => issue === 'slow').map(([, url]) => url),
);

test('every planted fault has an expected answer of some question', () => {
  const asked = ({ answers }: (typeof faults)[number]): string[] =>
    Object.keys(answers).filter((question) => question in questions);
  expect(faults.filter((fault) => asked(fault).length === 0)).toEqual([]);
  expect(faults.flatMap(({ answers }) => Object.keys(answers)).filter((one) => !(one in questions))).toEqual(
    [],
  );
});

test('the saved questions find every fault of the demo site, and no other', async () => {
  const folder = join(await temporaryFolder(), 'site');
  await using site = await serveDemoSite(await demoDocuments());
  expect(await capture('init', folder)).toMatchObject({ code: 0 });
  const answersAfterCrawl = async (): Promise<Record<string, string[]>> => {
    const { code, stderr } = await capture('crawl', site.origin, '--project-dir', folder);
    expect([code, stderr]).toEqual([0, '']);
    const answers: Record<string, string[]> = {};
    for (const [question, columns] of Object.entries(questions)) {
      const asked = ['query', '--question', question, '--json', '--project-dir', folder];
      const { stdout } = await capture(
        ...asked,
        ...(LIMITED.includes(question) ? ['-p', 'limit=100000'] : []),
      );
      const rows = JSON.parse(stdout.replaceAll(site.origin, '')) as Record<string, unknown>[];
      // A busy machine makes other pages slow too.
      const isChance = ({ issue, url }: Record<string, unknown>): boolean =>
        issue === 'slow' && !SLOW.includes(String(url));
      const ofKnown = rows.filter(
        (row) => row.issue === undefined || (PLANTED.has(row.issue) && !isChance(row)),
      );
      answers[question] = sorted(ofKnown.map((row) => columns.map((column) => row[column])));
    }
    return answers;
  };
  expect(await answersAfterCrawl()).toEqual(expectedOf(1));
  site.change();
  expect(await answersAfterCrawl()).toEqual(expectedOf(2));
});

test('the access log and search results of the demo site affect the priorities of what to do first', async () => {
  const folder = join(await temporaryFolder(), 'site');
  await using site = await serveDemoSite(await demoDocuments());
  const done = async (...argv: string[]): Promise<string> => {
    const { code, stdout, stderr } = await capture(...argv, '--project-dir', folder);
    expect([argv[0], code, stderr]).toEqual([argv[0], 0, expect.any(String)]);
    return stdout.replaceAll(site.origin, '');
  };
  expect(await capture('init', folder)).toMatchObject({ code: 0 });
  await done('crawl', site.origin);
  const [log, search] = [join(folder, 'access.log'), join(folder, 'search.csv')];
  await writeFile(log, accessLog(new Date()));
  await writeFile(search, demandExport(site.origin, new Date()));
  const added = await done('logs', 'add', log, '--on-reject', 'quarantine', '--json');
  expect(JSON.parse(added)).toMatchObject({
    files: [{ status: 'added', rejected: 1, reasons: { not_the_format: 1 } }],
    bots: [
      { bot: 'Googlebot', verified: 66, refuted: 6 },
      { bot: 'GPTBot', verified: 16, refuted: 0 },
    ],
  });
  await done('demand', 'add', search);
  const ask = async (question: string, ...more: string[]): Promise<Record<string, unknown>[]> =>
    JSON.parse(await done('query', '--question', question, '--json', ...more));
  const first = await ask('q32_what_to_do_first', '-p', 'limit=3');
  // The three of high severity on pages that searchers see and that Google asks for.
  expect(first.map(({ url, search_bot_hits }) => `${url} ${search_bot_hits}`).toSorted()).toEqual([
    '/en/errors 4',
    '/en/gone 9',
    '/en/tour 8',
  ]);
  expect(first.filter(({ clicks, severity }) => !(Number(clicks) > 0) || severity !== 'high')).toEqual([]);
  const waste = await ask('q17_wasted_crawl_budget');
  expect(waste.map(({ waste: kind, hits }) => `${kind} ${hits}`).toSorted()).toEqual([
    'error 14',
    'none 39',
    'orphan 5',
    'redirect 8',
  ]);
  expect(waste.map(({ most_asked_url }) => most_asked_url)).toContain(
    '/en/decisions/ledger/the-shared-ledger',
  );
});

function expectedOf(crawl: number): Record<string, string[]> {
  const planted = faults.filter(({ since }) => since <= crawl);
  return Object.fromEntries(
    Object.keys(questions).map((question) => [
      question,
      sorted(planted.flatMap(({ answers }) => answers[question] ?? [])),
    ]),
  );
}

/** Each row once, as a text. */
function sorted(rows: readonly unknown[]): string[] {
  return [...new Set(rows.map((row) => JSON.stringify(row)))].sort();
}
