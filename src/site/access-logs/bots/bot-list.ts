import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { AddressRanges } from './address-ranges.ts';

const DAY_MS = 86_400_000;
/** Days after which ranges are outdated, because operators change their addresses every few months. */
const OLD_DAYS = 180;

/** A row of `sql/seeds/bots.csv`; an empty value is null. */
export const Bot = z.object({
  /** Text that the bot's user agent contains, in any case. */
  token: z.string(),
  /** Name of the crawler, such as Googlebot-Image. */
  crawler: z.string(),
  bot_class: z.string(),
  /** Operator, such as google. */
  engine: z.string().nullable(),
  purpose: z.string().nullable(),
  reference: z.string().nullable(),
  /** `robots_txt`: no user agent contains the token; null: as `user_agent`. */
  found_in: z.string().nullable(),
  read_on: z.string().nullable(),
});
export type Bot = Typed<typeof Bot>;

/** A row of `sql/seeds/bot_checks.csv`: one way to verify a crawler. */
export const BotCheck = z.object({
  crawler: z.string(),
  /** `ranges`: the address is in a list of ranges. `dns`: its name ends in a suffix, and resolves to the address. */
  check_method: z.string(),
  /** The list of ranges, or the suffix, such as googlebot.com. */
  check_value: z.string(),
});
export type BotCheck = Typed<typeof BotCheck>;

/** A row of `sql/seeds/bot_ranges.csv`. */
export const BotRange = z.object({
  range_list: z.string(),
  prefix: z.string(),
  source: z.string().nullable(),
  /** The day of the operator's file, as in 2026-02-04. */
  published: z.string().nullable(),
  /** The copy that it was read from; null for the source itself. */
  copied_from: z.string().nullable(),
});
export type BotRange = Typed<typeof BotRange>;

/** The rows of the package and the project, as in the warehouse. */
export interface BotRows {
  readonly bots: readonly Bot[];
  readonly checks: readonly BotCheck[];
  readonly ranges: readonly BotRange[];
}

/** How a crawler is verified. */
export interface Verification {
  /** Null if its operator publishes none. */
  readonly ranges: AddressRanges | null;
  /** Suffixes of the host names of its addresses; empty if its operator publishes none. */
  readonly suffixes: readonly string[];
}

/** The known bots, and how each is verified. */
export class BotList {
  readonly bots: readonly Bot[];
  readonly ranges: readonly BotRange[];
  readonly #rows: BotRows;
  /** With tokens in lowercase, longest first. */
  readonly #tokens: readonly (readonly [token: string, bot: Bot])[];
  readonly #verifications = new Map<string, Verification>();

  constructor(rows: BotRows) {
    this.bots = rows.bots;
    this.ranges = rows.ranges;
    this.#rows = rows;
    this.#tokens = rows.bots
      .filter(({ found_in }) => found_in !== 'robots_txt')
      .map((bot) => [bot.token.toLowerCase(), bot] as const)
      .sort(([, a], [, b]) => b.token.length - a.token.length || (a.token < b.token ? -1 : 1));
  }

  /**
   * Returns the bot whose token a user agent contains; of several, the longest token. The rule of `mart.user_agents`.
   */
  recognise(userAgent: string): Bot | undefined {
    const lower = userAgent.toLowerCase();
    return this.#tokens.find(([token]) => lower.includes(token))?.[1];
  }

  verificationOf({ crawler }: Bot): Verification {
    const known = this.#verifications.get(crawler);
    if (known !== undefined) return known;
    const prefixes = this.rangesOf(crawler).map(({ prefix }) => prefix);
    const verification = {
      ranges: prefixes.length === 0 ? null : new AddressRanges(prefixes),
      suffixes: this.#valuesOf(crawler, 'dns'),
    };
    this.#verifications.set(crawler, verification);
    return verification;
  }

  /** Returns the lists of ranges of a crawler; without a row that names one, the list of its own name. */
  rangeListsOf(crawler: string): readonly string[] {
    const lists = this.#valuesOf(crawler, 'ranges');
    return lists.length > 0 ? lists : [crawler];
  }

  rangesOf(crawler: string): readonly BotRange[] {
    const lists = this.rangeListsOf(crawler);
    return this.ranges.filter(({ range_list }) => lists.includes(range_list));
  }

  #valuesOf(crawler: string, method: string): readonly string[] {
    return this.#rows.checks.flatMap((check) =>
      check.crawler === crawler && check.check_method === method ? [check.check_value] : [],
    );
  }
}

/** Returns a hint to update ranges if none is of the last six months; null if one is, or if there are no ranges. */
export function describeAge({ ranges }: Pick<BotList, 'ranges'>, today: string): string | null {
  const newest =
    ranges
      .map(({ published }) => published ?? '')
      .sort()
      .at(-1) ?? '';
  const days = Math.floor((Date.parse(today) - Date.parse(newest)) / DAY_MS);
  if (!(days > OLD_DAYS)) return null;
  return `the newest list of address ranges is from ${newest}, ${days} days ago, and lacks new addresses of real bots. crawlhouse logs bots update reads a newer list from its operator`;
}
