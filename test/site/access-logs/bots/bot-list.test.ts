import { expect, test } from 'vitest';
import { BotList } from '../../../../src/site/access-logs/bots/bot-list.ts';
import { bot } from './bots.ts';

const list = new BotList({
  bots: [bot('Googlebot'), bot('Googlebot-Image'), bot('BBB'), bot('aaa'), bot('Yeti/')],
  checks: [
    { crawler: 'Googlebot', check_method: 'ranges', check_value: 'google' },
    { crawler: 'Googlebot', check_method: 'dns', check_value: 'googlebot.com' },
    { crawler: 'Googlebot-Image', check_method: 'ranges', check_value: 'google' },
    { crawler: 'Googlebot-Image', check_method: 'ranges', check_value: 'images' },
  ],
  ranges: [
    { range_list: 'google', prefix: '66.249.64.0/27', source: null, published: null, copied_from: null },
    { range_list: 'aaa', prefix: '1.2.3.4/32', source: null, published: null, copied_from: null },
  ],
});

test.each([
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot'],
  ['GOOGLEBOT-IMAGE/1.0', 'Googlebot-Image'],
  ['googlebot and googlebot-image', 'Googlebot-Image'],
  ['aaa bbb', 'BBB'],
  ['yeti/1.1', 'Yeti/'],
  ['yeti 1.1', undefined],
  ['Mozilla/5.0 (Windows NT 10.0)', undefined],
  ['', undefined],
])('%j is of %s', (userAgent, crawler) => {
  expect(list.recognise(userAgent)?.crawler).toBe(crawler);
});

test('a crawler uses the lists named for it, else the list of its own name', () => {
  expect(list.rangeListsOf('Googlebot-Image')).toEqual(['google', 'images']);
  expect(list.rangesOf('Googlebot-Image').map(({ prefix }) => prefix)).toEqual(['66.249.64.0/27']);
  expect(list.rangesOf('aaa').map(({ prefix }) => prefix)).toEqual(['1.2.3.4/32']);
  expect(list.verificationOf(bot('BBB'))).toEqual({ ranges: null, suffixes: [] });
  expect(list.verificationOf(bot('Googlebot')).suffixes).toEqual(['googlebot.com']);
});
