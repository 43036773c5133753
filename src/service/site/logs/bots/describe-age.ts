import type { BotList } from './bot-list.ts';

const DAY_MS = 86_400_000;
/** Operators change their addresses every few months. */
const OLD_DAYS = 180;

/** What to do about ranges none of which is of the last half year; null where one is, or there are none. */
export function describeAge({ ranges }: Pick<BotList, 'ranges'>, today: string): string | null {
  const newest =
    ranges
      .map(({ published }) => published ?? '')
      .sort()
      .at(-1) ?? '';
  const days = Math.floor((Date.parse(today) - Date.parse(newest)) / DAY_MS);
  if (!(days > OLD_DAYS)) return null;
  return `the newest list of address ranges is of ${newest}, ${days} days ago: new addresses of real bots are not in it. crawlhouse logs bots update takes a newer one from its operator`;
}
