import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { absoluteUrl, webUrl } from '../../src/core/net/web-url.ts';
import { encodingName } from '../../src/core/text/encodings.ts';
import { parseDocument } from '../../src/site/crawler/parse/parse-html.ts';
import { robotsRules } from '../../src/site/crawler/robots/robots.ts';
import { parsed } from '../support/fetched-page.ts';
import { installPython } from '../support/python-environment.ts';
import { roundSeed } from '../support/random.ts';
import { runs } from '../support/runs.ts';
import { type ForeignSuite, foreignFile, foreignPaths, orSkip } from './foreign-files.ts';
import { robotsCases } from './robots-files.ts';
import { treeText } from './tree-text.ts';

const HTML5LIB: ForeignSuite = {
  repository: 'html5lib/html5lib-tests',
  commit: '224991ec10db04f056a89eed8b0bd8695fd2950e',
};
/** The last commit before the tests of trees moved to web-platform-tests. */
const TREES: ForeignSuite = {
  repository: 'html5lib/html5lib-tests',
  commit: '9329e64694e7835d0dcff9811e22856ef6ad16f9',
};
const JSON_LD: ForeignSuite = {
  repository: 'w3c/json-ld-api',
  commit: '92f07705a0c0ac27aa9bc6fe1322dcc9fad0114d',
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
/** The others have elements in a `select`, which parse5 drops as browsers did until 2025. */
const TREE_FLOOR = 1_548;
/** Contexts are not loaded, so types that they give other names, or take away, differ. */
const JSON_LD_FLOOR = 257;
const ROBOTS_FILES = runs(2_000);
/** Protego takes the shorter of two rules in one of 15,000 URLs. */
const ROBOTS_SHARE = 0.999;
const PROTEGO = 'protego==0.7.0';

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

test('URLs are parsed as in web-platform-tests', async ({ skip }) => {
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
  'page encodings match html5lib-tests: %s',
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

test('document trees match html5lib-tests', async ({ skip }) => {
  const paths = await orSkip(foreignPaths(TREES, 'tree-construction'), skip);
  const results: [string, boolean][] = [];
  for (const path of paths.filter((one) => one.endsWith('.dat'))) {
    const data = (await foreignFile(TREES, path)).toString();
    for (const [number, one] of data
      .split(/^#data\n/m)
      .slice(1)
      .entries()) {
      // The crawler reads documents, with scripts on.
      if (/^#(?:document-fragment|script-off)$/m.test(one)) continue;
      const [html = '', tree = ''] = one.split(/\n?#errors\n.*?^#document\n/ms);
      const read = treeText(parseDocument(html, false).root);
      results.push([`${path} ${number} ${JSON.stringify(html.slice(0, 120))}`, read === tree.trimEnd()]);
    }
  }
  judge('trees of html5lib-tests', new Map(results), TREE_FLOOR);
});

interface JsonLdTest {
  readonly '@type': readonly string[];
  readonly input: string;
  readonly expect?: string;
}

test('JSON-LD types match the W3C expansion', async ({ skip }) => {
  const manifest = await orSkip(foreignFile(JSON_LD, 'tests/expand-manifest.jsonld'), skip);
  const { sequence } = JSON.parse(manifest.toString()) as { sequence: readonly JsonLdTest[] };
  const results: [string, boolean][] = [];
  for (const { '@type': kinds, input, expect: output } of sequence) {
    if (!kinds.includes('jld:PositiveEvaluationTest') || output === undefined) continue;
    const json = (await foreignFile(JSON_LD, `tests/${input}`)).toString();
    const { page } = parsed(`<script type="application/ld+json">${json}</script>`);
    const wanted = typesWithin(JSON.parse((await foreignFile(JSON_LD, `tests/${output}`)).toString()));
    const read = (page.semantic_types ?? []).map(lastPart);
    const holds = JSON.stringify([...new Set(read)].toSorted()) === JSON.stringify([...wanted].toSorted());
    results.push([`${input} ${JSON.stringify({ read, wanted: [...wanted] })}`, holds]);
  }
  judge('types of JSON-LD by W3C', new Map(results), JSON_LD_FLOOR);
});

/** The name of a type without its vocabulary or prefix. */
const lastPart = (type: string): string =>
  type.slice(Math.max(...['/', '#', ':'].map((sign) => type.lastIndexOf(sign))) + 1);

/** The types of the nodes of an expanded document. */
function typesWithin(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  if ('@type' in value && !('@value' in value))
    for (const type of [value['@type']].flat()) found.add(lastPart(String(type)));
  for (const inner of Object.values(value)) typesWithin(inner, found);
  return found;
}

test('robots.txt rules match Protego', async ({ skip }) => {
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
