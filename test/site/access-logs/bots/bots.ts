import type { Bot } from '../../../../src/site/access-logs/bots/bot-list.ts';

/** A bot whose token is its name. */
export function bot(crawler: string): Bot {
  return {
    token: crawler,
    crawler,
    bot_class: 'search',
    engine: null,
    purpose: null,
    reference: null,
    found_in: null,
    read_on: null,
  };
}
