import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { crawlConfig } from '../../../../src/app/cli/local/crawl-config.ts';
import { LIST_CONFIG_NAME } from '../../../../src/app/cli/local/local-service.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { capture, projectFolder } from '../capture.ts';

test.for([
  [['--site', 'https:///'], null, '--site https:///: not a URL'],
  [['--site', 'ftp://b.example/'], null, '--site ftp://b.example/: not a URL'],
  [['--list', 'urls.txt', '--site', 'b.example'], null, '--site: not possible with --list'],
  [['--config', 'crawl.yaml'], 'sites: b.example', 'crawl.yaml:1: sites: '],
  [
    ['--config', 'crawl.yaml'],
    'sites: [a.example, "ftp://b.example/"]',
    'crawl.yaml:1: sites.1: an http or https URL',
  ],
  [['--recheck', '5', '--no-recheck'], null, '--recheck 5: not possible with --no-recheck'],
] as const)('crawl %j with %j is refused: %s', async ([flags, config, message]) => {
  const folder = await projectFolder('');
  await writeFile(join(folder, 'urls.txt'), 'http://127.0.0.1:9/\n');
  await writeFile(join(folder, 'crawl.yaml'), `${config}\n`);
  const inFolder = flags.map((flag) => (/\.(txt|yaml)$/.test(flag) ? join(folder, flag) : flag));
  const { code, stderr } = await capture(
    'crawl',
    'http://127.0.0.1:9/',
    ...inFolder,
    '--project-dir',
    folder,
  );
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

test.for(['--config', 'the website'])(
  'a list keeps its own configuration name, whatever the file of %s contains',
  async (of) => {
    const folder = await projectFolder('');
    await mkdir(join(folder, 'crawls'));
    const file = of === '--config' ? 'crawl.yaml' : join('crawls', '127.0.0.1_9.yaml');
    await writeFile(join(folder, file), 'name: daily\nmax_url: 7\n');
    const invocation = {
      positionals: [],
      text: (flag: string) => (flag === of.slice(2) ? file : undefined),
      texts: () => [],
      has: () => false,
      say: () => {},
      settings: () => loadSettings(folder, {}),
      workingDirectory: folder,
    } as unknown as Invocation;
    const { config } = await crawlConfig(invocation, async () => {}, ['http://127.0.0.1:9/a']);
    expect(config).toMatchObject({ name: LIST_CONFIG_NAME, max_url: 7 });
  },
);

/** The configuration of `crawl --list` with these flags, in this process. */
async function configOf(flags: Readonly<Record<string, string | readonly string[] | true>>) {
  const folder = await projectFolder('');
  const said: string[] = [];
  const invocation = {
    positionals: [],
    text: (flag: string) => (typeof flags[flag] === 'string' ? flags[flag] : undefined),
    texts: (flag: string) => [flags[flag] ?? []].flat(),
    has: (flag: string) => flags[flag] === true,
    say: (text: string) => said.push(text),
    settings: () => loadSettings(folder, {}),
    workingDirectory: folder,
  } as unknown as Invocation;
  return await crawlConfig(invocation, async () => {}, ['http://127.0.0.1:9/a']);
}

test('flags are keys of the configuration, and no flag is a default', async () => {
  const { config, own } = await configOf({
    'max-urls': '7',
    'max-depth': '2',
    subdomains: true,
    recheck: '5',
  });
  expect(config).toMatchObject({ start_url: 'http://127.0.0.1:9/', max_url: 7, max_depth: 2 });
  expect(config).toMatchObject({ crawl_subdomains: true });
  expect(own).toMatchObject({ recheck: 5 });
  expect((await configOf({ 'no-recheck': true })).own).toMatchObject({ recheck: 0 });
  expect((await configOf({})).config).not.toMatchObject({ crawl_subdomains: true });
});

test.each([
  [{ 'max-urls': '0' }, '--max-urls 0: a number above 0 is expected'],
  [{ 'max-urls': ' ' }, '--max-urls  : a number above 0 is expected'],
  [{ 'max-urls': '1.5' }, '--max-urls 1.5: '],
  [{ speed: '-1' }, '--speed -1: a number above 0 is expected'],
  [{ 'user-agent': 'a\nb' }, '--user-agent a\nb: '],
  [{ recheck: 'x' }, '--recheck x: a number of URLs is expected'],
  [{ vitals: 'x' }, '--vitals x: a number of pages of each template, or all, is expected'],
  [{ config: 'none.yaml' }, '--config: none.yaml cannot be read'],
])('%j is refused', async (flags, message) => {
  await expect(configOf(flags as Parameters<typeof configOf>[0])).rejects.toThrow(message);
});

test('a rule of --extract is a name, words, a language and a selector', async () => {
  const extract = ['price:number,many,comma=css:.price', 'sku:@data-sku=xpath://p', 'raw:raw=regex:a(b)'];
  const { config } = await configOf({ extract });
  expect(config).toMatchObject({
    custom_fields: [
      { name: 'price', type: 'number', many: true, decimal: ',', css: '.price' },
      { name: 'sku', take: 'attribute', attribute: 'data-sku', xpath: '//p' },
      { name: 'raw', from: 'raw', regex: 'a(b)' },
    ],
  });
});

test.each([
  ['price', '--extract price: no css:, xpath: or regex: after a name'],
  ['price:money=css:p', '--extract price:money=css:p: money is none of string, '],
  ['price:number,=css:p', 'an empty word is none of'],
  ['price:number,date=css:p', 'type is given twice, the second time by date'],
  ['price:rendered=css:p', '--extract price:rendered=css:p: from '],
  ['=css:p', '--extract =css:p: name '],
])('--extract %s is refused', async (rule, message) => {
  await expect(configOf({ extract: [rule] })).rejects.toThrow(message);
});
