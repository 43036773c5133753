import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, type TestContext, test } from 'vitest';
import { absoluteUrl, webUrl } from '../../src/core/net/web-url.ts';
import { encodingName } from '../../src/core/text/encodings.ts';
import { robotsRules } from '../../src/service/site/crawler/robots/robots.ts';
import { parsed } from '../support/fetched-page.ts';
import { installPython } from '../support/python-environment.ts';
import { roundSeed } from '../support/random.ts';
import { type ForeignSuite, foreignFile } from './foreign-files.ts';
import { robotsCases } from './robots-files.ts';

const HTML5LIB: ForeignSuite = {
  repository: 'html5lib/html5lib-tests',
  commit: '224991ec10db04f056a89eed8b0bd8695fd2950e',
};
/** It has the test data of web-platform-tests, whose repository is a hundred times as large. */
const URLS: ForeignSuite = {
  repository: 'servo/rust-url',
  commit: '25137be1fc1d35cc8ea7d43fc0a02166b023a483',
};

/** Cases that hold today. */
const URL_FLOOR = 862;
const ENCODING_FLOORS: Readonly<Record<string, number>> = {
  'tests1.dat': 59,
  'tests2.dat': 22,
  'test-yahoo-jp.dat': 1,
};
const ROBOTS_FILES = 2_000;
/** Protego takes the shorter of two rules in one of 15,000 URLs. */
const ROBOTS_SHARE = 0.999;
const PROTEGO = 'protego==0.7.0';

/** What a suite needs, or the test is skipped with the reason. */
async function orSkip<T>(input: Promise<T>, skip: TestContext['skip']): Promise<T> {
  try {
    return await input;
  } catch (error) {
    const { message } = error as Error;
    process.stdout.write(`skipped: ${message}\n`);
    return skip(message);
  }
}

/** Says how many cases hold, and which do not. */
function judge(name: string, results: ReadonlyMap<string, boolean>, floor: number): void {
  const failed = [...results].filter(([, holds]) => !holds).map(([at]) => at);
  const held = results.size - failed.length;
  process.stdout.write(`${name}: ${held} of ${results.size} hold, at least ${floor}\n`);
  for (const at of failed.slice(0, 20)) process.stdout.write(`  differs: ${at}\n`);
  expect(held, name).toBeGreaterThanOrEqual(floor);
}

interface UrlCase {
  readonly input: string;
  readonly base: string | null;
  readonly href?: string;
  readonly failure?: boolean;
}

test('addresses are read as web-platform-tests have them', async ({ skip }) => {
  const data = await orSkip(foreignFile(URLS, 'url/tests/urltestdata.json'), skip);
  const cases = (JSON.parse(data.toString()) as (string | UrlCase)[]).filter(
    (one) => typeof one !== 'string',
  );
  const results = cases.map(({ input, base, href }, number): [string, boolean] => {
    const wanted = href ?? null;
    const isWeb = wanted !== null && /^https?:/.test(wanted);
    const url = webUrl(input, base ?? undefined)?.href ?? null;
    const any = base === null ? wanted : absoluteUrl(input, base);
    const holds = url === (isWeb ? wanted : null) && any === wanted;
    return [`${number} ${JSON.stringify({ input, base, wanted, url, any })}`, holds];
  });
  judge('URLs of web-platform-tests', new Map(results), URL_FLOOR);
});

test.for(['tests1.dat', 'tests2.dat', 'test-yahoo-jp.dat'])(
  'pages are in the encoding that html5lib-tests say: %s',
  async (file, { skip }) => {
    const data = await orSkip(foreignFile(HTML5LIB, `encoding/${file}`), skip);
    const cases = data
      .toString('latin1')
      .split(/^#data\n/m)
      .slice(1);
    const results = cases.map((one, number): [string, boolean] => {
      const [html = '', label = ''] = one.split(/\n#encoding\n/);
      const body = Buffer.from(html, 'latin1');
      const { page } = parsed(body, { headers: [['content-type', 'text/html']] });
      const wanted = encodingName(label.trim());
      const read = encodingName(page.encoding ?? '');
      return [`${number} ${JSON.stringify(html.slice(0, 120))} ${wanted} ${read}`, wanted === read];
    });
    judge(`encodings of html5lib-tests, ${file}`, new Map(results), ENCODING_FLOORS[file] ?? 0);
  },
);

test('files of robots.txt allow what Protego allows', async ({ skip }) => {
  const folder = await orSkip(installPython('protego', [PROTEGO]), skip);
  const cases = robotsCases(ROBOTS_FILES, roundSeed());
  const python = spawn(join(folder, 'bin', 'python'), [join(import.meta.dirname, 'read-robots.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  python.stdin.end(cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const answers = (await text(python.stdout)).trimEnd().split('\n');
  const results = cases.flatMap(({ file, agent, paths }, number) => {
    const rules = robotsRules({ status: 'found', content: file }, agent);
    const theirs = JSON.parse(answers[number] ?? '[]') as boolean[];
    return paths.map((path, at): [string, boolean] => [
      `${number} ${at} ${JSON.stringify({ file, path, theirs: theirs[at] })}`,
      rules.isAllowed(new URL(`http://foo.bar${path}`).href) === theirs[at],
    ]);
  });
  judge(
    `URLs of generated robots.txt, as ${PROTEGO}`,
    new Map(results),
    Math.floor(ROBOTS_SHARE * results.length),
  );
});
