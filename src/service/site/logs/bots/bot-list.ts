import { AddressRanges } from './address-ranges.ts';

const DAY_MS = 86_400_000;
/** Operators change their addresses every few months. */
const OLD_DAYS = 180;

/** A row of `sql/seeds/bots.csv`; an empty value is null. */
export interface Bot {
  /** Text that the bot's user agent holds, in any case. */
  readonly token: string;
  /** Its name, as in Googlebot-Image. */
  readonly crawler: string;
  readonly bot_class: string;
  /** Whose it is, as in google. */
  readonly engine: string | null;
  readonly purpose: string | null;
  readonly reference: string | null;
}

/** A row of `sql/seeds/bot_checks.csv`: one way to verify a crawler. */
export interface BotCheck {
  readonly crawler: string;
  /** `ranges`: the address is in a list of ranges. `dns`: its name ends in a suffix, and has the address. */
  readonly check_method: string;
  /** The list of ranges, or the suffix, such as googlebot.com. */
  readonly check_value: string;
}

/** A row of `sql/seeds/bot_ranges.csv`. */
export interface BotRange {
  readonly range_list: string;
  readonly prefix: string;
  readonly source: string | null;
  /** The day of the operator's file, as in 2026-02-04. */
  readonly published: string | null;
  /** The copy that it was read from; null for the source itself. */
  readonly copied_from: string | null;
}

/** The rows of the package and the project, as the warehouse has them. */
export interface BotRows {
  readonly bots: readonly Bot[];
  readonly checks: readonly BotCheck[];
  readonly ranges: readonly BotRange[];
}

/** How a crawler is verified. */
export interface Verification {
  /** Null where its operator publishes none. */
  readonly ranges: AddressRanges | null;
  /** Ends of the names of its addresses; empty where its operator says none. */
  readonly suffixes: readonly string[];
}

/** The known bots, and how each is verified. */
export class BotList {
  readonly bots: readonly Bot[];
  readonly ranges: readonly BotRange[];
  readonly #rows: BotRows;
  /** With tokens in lower case, the longest first. */
  readonly #tokens: readonly (readonly [token: string, bot: Bot])[];
  readonly #verifications = new Map<string, Verification>();

  constructor(rows: BotRows) {
    this.bots = rows.bots;
    this.ranges = rows.ranges;
    this.#rows = rows;
    this.#tokens = rows.bots
      .map((bot) => [bot.token.toLowerCase(), bot] as const)
      .sort(([, a], [, b]) => b.token.length - a.token.length || (a.token < b.token ? -1 : 1));
  }

  /** The bot whose token a user agent holds; of several, the longest. The rule of `mart.user_agents`. */
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

  /** The lists of ranges of a crawler; without a row that names one, the list of its own name. */
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
