import { type Bot, type BotList, describeAge } from '../../../site/access-logs/bots/bot-list.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import type { Command } from '../command.ts';
import { readBotList } from '../local/read-bot-list.ts';

export const logsBots: Command = {
  name: 'logs bots',
  summary: 'list the known bots, and how each is verified',
  flags: {},
  async run(invocation) {
    const list = await readBotList(await invocation.settings());
    const bots = list.bots.map((bot) => record(bot, list));
    if (invocation.has('json')) await invocation.printJson({ bots });
    else await invocation.print(table(bots));
    const age = describeAge(list, new Date().toISOString().slice(0, 10));
    if (age !== null) invocation.say(`${age}\n`);
    return 0;
  },
};

interface BotRecord extends Bot {
  readonly ranges: number;
  /** The days of the operator's files with the ranges. */
  readonly published: readonly string[];
  readonly sources: readonly string[];
  readonly dns_suffixes: readonly string[];
}

function record(bot: Bot, list: BotList): BotRecord {
  const ranges = list.rangesOf(bot.crawler);
  const values = (key: 'published' | 'source'): string[] =>
    [...new Set(ranges.flatMap((range) => range[key] ?? []))].sort();
  return {
    ...bot,
    ranges: ranges.length,
    published: values('published'),
    sources: values('source'),
    dns_suffixes: list.verificationOf(bot).suffixes,
  };
}

function table(bots: readonly BotRecord[]): string {
  const names = ['token', 'class', 'engine', 'purpose', 'ranges', 'published', 'DNS', 'source'];
  return textTable(
    names,
    bots.map((bot) => [
      bot.token,
      bot.bot_class,
      bot.engine,
      bot.purpose,
      bot.ranges === 0 ? null : bot.ranges,
      bot.published[0] ?? null,
      bot.dns_suffixes.join(' ') || null,
      bot.sources.join(' ') || null,
    ]),
  );
}
