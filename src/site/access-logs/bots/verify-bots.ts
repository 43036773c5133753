import { addressNumber } from '../../../core/net/ip-address.ts';
import { isOwnAddress, UNKNOWN_ADDRESS } from '../client-address.ts';
import type { Bot, BotList } from './bot-list.ts';
import type { BotVerification, DnsCheck } from './dns-check.ts';

/** A bot by its user agent, and the address that it came from. */
export interface ClaimedBot {
  readonly bot: Bot;
  readonly address: string;
}

export interface VerifyOptions {
  readonly list: BotList;
  /** Without it, no query is sent. It caches its answers, so it should be shared between calls. */
  readonly dns?: DnsCheck | undefined;
  readonly signal: AbortSignal;
}

/**
 * Returns whether each is the bot that it claims to be, in the given order. The operator's ranges verify first. DNS, if
 * it is queried, can verify an address that is missing from outdated ranges. If DNS does not respond, the ranges
 * decide. Private addresses do not identify a visitor. They belong to a proxy in front of the server, or to a test.
 */
export async function verifyBots(
  pairs: readonly ClaimedBot[],
  { list, dns, signal }: VerifyOptions,
): Promise<BotVerification[]> {
  const byRanges = pairs.map((pair) => verifyByRanges(pair, list));
  if (dns === undefined) return byRanges;
  return await Promise.all(
    pairs.map(async ({ bot, address }, index) => {
      const before = byRanges[index] ?? 'unchecked';
      const { suffixes } = list.verificationOf(bot);
      if (before !== 'unchecked' && addressNumber(address) === null) return before;
      if (before === 'verified' || suffixes.length === 0 || address === '' || isOwnAddress(address))
        return before;
      const answer = await (addressNumber(address) === null
        ? dns.checkName(address, suffixes, signal)
        : dns.check(address, suffixes, signal));
      return answer === 'unchecked' ? before : answer;
    }),
  );
}

function verifyByRanges({ bot, address }: ClaimedBot, list: BotList): BotVerification {
  // The address is a text that no server writes, so it cannot be verified.
  if (address === UNKNOWN_ADDRESS) return 'refuted';
  const { ranges } = list.verificationOf(bot);
  const number = addressNumber(address);
  if (number === null || ranges === null) return 'unchecked';
  if (ranges.has(number)) return 'verified';
  return isOwnAddress(address) ? 'unchecked' : 'refuted';
}
