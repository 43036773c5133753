import { expect, test } from 'vitest';
import { BotList } from '../../../../src/site/access-logs/bots/bot-list.ts';
import { listOfFile } from '../../../../src/site/access-logs/bots/list-of-file.ts';

const range = (range_list: string, source: string | null) => {
  return { range_list, prefix: '192.0.2.0/24', source, published: null, copied_from: null };
};
const list = new BotList({
  bots: [],
  checks: [],
  ranges: [
    range('openai', 'https://openai.example/gptbot.json'),
    range('Apple', 'https://apple.example/ranges.txt?v=1'),
    range('page', 'https://page.example/bots'),
    range('own', null),
  ],
});

test.each([
  ['https://openai.example/gptbot.json?at=1#x', 'openai'],
  ['GPTBot.csv', 'openai'],
  ['C:\\lists\\gptbot.json', 'openai'],
  ['lists/openai.json', 'openai'],
  ['apple.ips', 'Apple'],
  ['own.txt', 'own'],
])('%s is of the list %s', (file, name) => {
  expect(listOfFile(file, list)).toBe(name);
});

test.each(['ranges.txt', 'bots.json', 'yandex.json'])('%s is of no list', (file) => {
  expect(() => listOfFile(file, list)).toThrow('there is no list of ranges');
});
