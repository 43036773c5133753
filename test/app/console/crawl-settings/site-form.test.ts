import fc from 'fast-check';
import { type DefaultTreeAdapterMap, parse, defaultTreeAdapter as tree } from 'parse5';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { drawForm } from '../../../../src/app/console/crawl-settings/draw-form.ts';
import { settingFields } from '../../../../src/app/console/crawl-settings/setting-fields.ts';
import {
  changedBy,
  HIDDEN_KEYS,
  SETTING_FIELDS,
  type SiteFile,
  settingsOf,
} from '../../../../src/app/console/crawl-settings/site-form.ts';
import {
  CrawlFile,
  type CrawlFileKeys,
  checkCrawlText,
} from '../../../../src/etl/project/settings/crawls/crawl-file.ts';
import { runs } from '../../../support/runs.ts';

const START = 'https://www.example.com/';

function siteOf(text: string): SiteFile {
  const { keys } = checkCrawlText(text, 'x.yaml');
  return { startUrl: START, file: 'x.yaml', text, stamp: 'x', keys };
}

function pageOf(keys: CrawlFileKeys, sent?: URLSearchParams): string {
  const about = { project: 'p1', file: 'x.yaml', stamp: 'x', csrf: 'c', settings: settingsOf(keys) };
  return drawForm({ ...about, ...(sent && { sent }) }).text;
}

type Node = DefaultTreeAdapterMap['node'];

/** The values that a browser sends for the first form of a page. */
function sentBy(page: string): URLSearchParams {
  const form = new URLSearchParams();
  const visit = (node: Node): void => {
    if (tree.isElementNode(node)) {
      const has = (name: string) => node.attrs.find((one) => one.name === name)?.value;
      const name = has('name');
      const text = (inner: Node): string =>
        tree.isTextNode(inner)
          ? inner.value
          : 'childNodes' in inner
            ? inner.childNodes.map(text).join('')
            : '';
      if (name !== undefined && node.tagName === 'textarea')
        form.append(name, text(node).replaceAll('\n', '\r\n'));
      else if (name !== undefined && node.tagName === 'input' && has('type') !== 'checkbox')
        form.append(name, (has('value') ?? '').replaceAll(/[\r\n]/g, ''));
      else if (name !== undefined && node.tagName === 'select') form.append(name, chosenIn(node));
    }
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(page));
  return new URLSearchParams(String(form));
}

function chosenIn(select: DefaultTreeAdapterMap['element']): string {
  const options = select.childNodes.filter((one) => tree.isElementNode(one));
  const value = (option: (typeof options)[number] | undefined) =>
    option?.attrs.find(({ name }) => name === 'value')?.value ?? '';
  return value(options.find(({ attrs }) => attrs.some(({ name }) => name === 'selected')) ?? options[0]);
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed()),
  fc.constantFrom(
    '',
    ' ',
    '"a"',
    "it's",
    '{}',
    '# x',
    'true',
    '5',
    'a: b',
    '- a',
    '\n',
    'a\r\nb',
    '\u2028',
    '~',
    '&amp;',
    '</textarea>',
  ),
);
/** YAML files have no key `__proto__`. */
const word = text.filter((one) => one !== '__proto__');
const url = fc.webUrl({ validSchemes: ['http', 'https'] });
const flag = fc.boolean();
const host = fc.constantFrom('www.example.com', 'a.example', 'xn--bcher-kva.example:8080');
const whole = fc.oneof(fc.constantFrom(1, 2, Number.MAX_SAFE_INTEGER), fc.integer({ min: 1 }));

const keys = fc
  .record(
    {
      name: text,
      user_agent: text,
      max_speed: fc.constantFrom(0.1, 0.2, 0.5, 1, 2, 5, 10, 5000),
      agent_kind: fc.constantFrom('web', 'mobile'),
      ajax_crawling: flag,
      allow_query_params: flag,
      alternate_start_urls: fc.array(url, { maxLength: 2 }),
      crawl_subdomains: flag,
      custom_fields: fc.array(fc.dictionary(word, text, { maxKeys: 3 }), { maxLength: 2 }),
      dns: fc.array(fc.record({ host, ips: fc.array(fc.ipV4(), { minLength: 1 }) }), { maxLength: 2 }),
      filter_query_params: flag,
      js_rendering: flag,
      max_depth: whole,
      max_url: whole,
      query_params_list: text,
      resource_checker: flag,
      robots_txt: fc.array(fc.record({ host, content: text }), { maxLength: 2 }),
      sitemaps: fc.array(url, { maxLength: 2 }),
      strict_sitemaps: flag,
      use_cookies: flag,
      use_proxy: flag,
      watched_resources: fc.array(text, { maxLength: 3 }),
      whitelist_params_mode: flag,
      sites: fc.array(url, { maxLength: 2 }),
      recheck: fc.constantFrom(0, 1, 999_999_999),
      vitals: fc.constantFrom<number | 'all'>(0, 3, 'all'),
    },
    { requiredKeys: [] },
  )
  .map((given) =>
    CrawlFile.parse(
      Object.fromEntries(
        Object.entries(given).filter(([key, value]) => CrawlFile.safeParse({ [key]: value }).success),
      ),
    ),
  );

test('a form built from any settings returns the same settings, complete and into an empty file', () => {
  fc.assert(
    fc.property(keys, (wanted) => {
      const page = pageOf(wanted);
      const sent = sentBy(page);
      // Nothing was changed.
      const yaml = JSON.stringify(wanted);
      expect(changedBy(sent, siteOf(yaml)).text).toBe(yaml);
      // The page that shows what was sent has the same values.
      expect(String(sentBy(pageOf({}, sent)))).toBe(String(sent));
      const { text: written } = changedBy(sent, siteOf('# ours\nname: kept\n'));
      expect(written).toMatch(/^# ours\n/);
      expect(checkCrawlText(written, 'x.yaml').keys).toEqual({ ...wanted, name: 'kept' });
    }),
    { numRuns: runs(150) },
  );
});

test('an unchanged input keeps the text of its key', () => {
  const file = 'max_url: 0x1f4 # ours\nuser_agent: "shop"\nsitemaps:\n  - "https://a.example/s.xml" # new\n';
  const site = siteOf(file);
  const sent = sentBy(pageOf(site.keys));
  sent.set('max_depth', '3');
  sent.set('crawl_subdomains', 'true');
  expect(changedBy(sent, site).text).toBe(`${file}crawl_subdomains: true\nmax_depth: 3\n`);
});

test('no page contains secrets; an empty input keeps, a new value replaces, and a checkbox removes a secret', () => {
  const file =
    'http_auth:\n  username: ada\n  password: hush-hush\n  scheme: Basic\nextra_headers:\n  X-Key: very-secret\n';
  const site = siteOf(file);
  const page = pageOf(site.keys);
  expect(page).toContain('A value is set; leave this empty to keep it.');
  expect(page).not.toMatch(/hush|very-secret/);
  const sent = sentBy(page);
  expect(changedBy(sent, site).text).toBe(file);
  sent.set('http_auth.password', 'other');
  sent.append('remove', 'extra_headers');
  const { keys: changed } = changedBy(sent, site);
  expect(changed).toEqual({ http_auth: { username: 'ada', password: 'other', scheme: 'Basic' } });
  const none = { 'http_auth.username': '', 'http_auth.scheme': '', remove: 'http_auth.password' };
  const removing = new URLSearchParams(none);
  expect(changedBy(removing, site).keys).toEqual({ extra_headers: { 'X-Key': 'very-secret' } });
});

test.for([
  ['sites', 'https://other.example/'],
  ['dns', '- { host: www.example.com, ips: [198.51.100.7] }'],
  ['alternate_start_urls', 'https://other.example/'],
  ['crawl_subdomains', 'true'],
  ['use_proxy', 'true'],
] as const)('changing %s drops stored secrets', ([name, value]) => {
  const site = siteOf(
    'http_auth: { username: ada, password: hush, scheme: Basic }\nextra_headers: { X-Key: hush }\n',
  );
  const sent = sentBy(pageOf(site.keys));
  sent.set(name, value);
  const again = 'type it again, or remove it';
  const namesOf = () =>
    changedBy(sent, site)
      .faults.filter(({ message }) => message.startsWith(again))
      .map((fault) => fault.name);
  expect(namesOf()).toEqual(['extra_headers', 'http_auth.password']);
  sent.set('http_auth.password', 'other');
  expect(namesOf()).toEqual(['extra_headers']);
  sent.append('remove', 'extra_headers');
  expect(namesOf()).toEqual([]);
});

test.for([
  ['max_url', 'many', 'max_url'],
  ['max_url', '0', 'max_url'],
  ['max_speed', '3', 'max_speed'],
  ['sitemaps', 'https://a.example/\nnone', 'sitemaps.1'],
  ['dns', '- { host: a, ips: [b] }', 'dns.0.ips.0'],
  ['custom_fields', '- { name: a, css: "p[" }', 'custom_fields.0.css'],
  ['custom_fields', '- [', 'custom_fields'],
  ['robots_txt', 'yes', 'robots_txt'],
  ['extra_headers', 'no header', 'extra_headers.no header'],
  ['http_auth.username', 'ada', 'http_auth.password'],
  ['resource_checker', 'true', 'resource_checker'],
] as const)('%s: %j is a problem of %s', ([name, value, place]) => {
  const { faults } = changedBy(new URLSearchParams([[name, value]]), siteOf(''));
  expect(faults.map((fault) => fault.name)).toContain(place);
});

test('a new schema key gets an input without other changes', () => {
  const schema = CrawlFile.extend({
    follow_hints: z.boolean().optional().meta({ title: 'Hints', description: 'Follows hints.' }),
    some_shape: z.array(z.strictObject({ a: z.string() })).optional(),
  });
  const added = settingFields(schema, HIDDEN_KEYS).slice(SETTING_FIELDS.length);
  expect(added).toMatchObject([
    { name: 'follow_hints', label: 'Hints', about: 'Follows hints.', control: 'flag' },
    { name: 'some_shape', label: 'Some shape', control: 'yaml' },
  ]);
});

test('every configuration key has an input with an explanation, or a reason to be hidden', () => {
  const names = new Set(SETTING_FIELDS.map(({ name }) => name.split('.')[0]));
  const deprecated = [
    'reuse_cookies',
    'scheduling_period',
    'scheduling_start_date',
    'scheduling_timezone',
    'webhooks',
  ];
  const missing = Object.keys(CrawlFile.shape).filter((key) => !names.has(key) && !HIDDEN_KEYS.has(key));
  expect(missing.sort()).toEqual(deprecated);
  expect(SETTING_FIELDS.filter(({ about }) => !about.endsWith('.'))).toEqual([]);
});
