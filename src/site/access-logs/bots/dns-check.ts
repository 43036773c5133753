import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressNumber, plainAddress } from '../../../core/net/ip-address.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';

/** Whether a bot is genuine. `unchecked`: there is no evidence. */
export type BotVerification = 'verified' | 'refuted' | 'unchecked';

/** Queries DNS. An error with a code of `NO_SUCH` is an answer; any other error is not. */
export interface DnsResolver {
  reverse(address: string): Promise<readonly string[]>;
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

const DEFAULT_LIMITS = {
  /** Concurrent queries. */
  atOnce: 32,
  /** Milliseconds that an answer may take. */
  timeoutMs: 5_000,
  /** Addresses and names whose answers are remembered. */
  remembered: 100_000,
};
type DnsLimits = Readonly<typeof DEFAULT_LIMITS>;
/** Error codes of Node.js for a name that does not exist in DNS, or has no such record. */
const NO_SUCH: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];
/** Further names of an address are ignored. */
const MOST_NAMES = 16;

/** Suffixes of names that are not in DNS: those of anonymized addresses, and of private networks. */
const NO_NAME = /\.(?:invalid|local|localhost|internal|lan|home|arpa)$/;

/** The answer of DNS; null if DNS did not respond. */
type DnsAnswer = readonly string[] | null;

/**
 * Verifies addresses by the operators' method: the name of the address ends in a suffix of the operator, and that name
 * resolves to the address. The name alone proves nothing, because the owner of an address can choose it freely.
 */
export class DnsCheck {
  readonly #resolver: DnsResolver;
  readonly #limits: DnsLimits;
  readonly #slots: Semaphore;
  readonly #answers = new Map<string, Promise<DnsAnswer>>();

  constructor(resolver?: DnsResolver, limits: Partial<DnsLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#resolver = resolver ?? new Resolver({ timeout: this.#limits.timeoutMs, tries: 1 });
    this.#slots = new Semaphore(this.#limits.atOnce);
  }

  /** @returns `unchecked` if DNS gave no conclusive answer */
  async check(address: string, suffixes: readonly string[], signal: AbortSignal): Promise<BotVerification> {
    const plain = plainAddress(address);
    const names = await this.#ask(`reverse ${plain}`, () => this.#resolver.reverse(plain), signal);
    if (names === null) return 'unchecked';
    let verification: BotVerification = 'refuted';
    for (const given of names.slice(0, MOST_NAMES)) {
      const name = given.replace(/\.$/, '').toLowerCase();
      if (!suffixes.some((suffix) => name.endsWith(`.${suffix.toLowerCase()}`))) continue;
      const answer = await this.#verifyName(name, plain, signal);
      if (answer === 'verified') return answer;
      if (answer === 'unchecked') verification = answer;
    }
    return verification;
  }

  /** Verifies a bot by name alone, for a log that contains the name of an address instead of the address. */
  async checkName(name: string, suffixes: readonly string[], signal: AbortSignal): Promise<BotVerification> {
    if (!/^[\w.-]+\.[a-z][a-z\d-]+$/.test(name) || NO_NAME.test(name)) return 'unchecked';
    if (!suffixes.some((suffix) => name.endsWith(`.${suffix.toLowerCase()}`))) return 'refuted';
    const answers = [
      await this.#ask(`4 ${name}`, () => this.#resolver.resolve4(name), signal),
      await this.#ask(`6 ${name}`, () => this.#resolver.resolve6(name), signal),
    ];
    if (answers.some((addresses) => addresses !== null && addresses.length > 0)) return 'verified';
    return answers.includes(null) ? 'unchecked' : 'refuted';
  }

  async #verifyName(name: string, address: string, signal: AbortSignal): Promise<BotVerification> {
    const [family, ask] = isIPv6(address)
      ? [6, () => this.#resolver.resolve6(name)]
      : [4, () => this.#resolver.resolve4(name)];
    const addresses = await this.#ask(`${family} ${name}`, ask, signal);
    if (addresses === null) return 'unchecked';
    const number = addressNumber(address);
    return addresses.some((address) => addressNumber(address) === number) ? 'verified' : 'refuted';
  }

  async #ask(
    key: string,
    question: () => Promise<readonly string[]>,
    signal: AbortSignal,
  ): Promise<DnsAnswer> {
    const known = this.#answers.get(key);
    if (known !== undefined) return await known;
    const answer = this.#slots.run(() => answerOf(question, this.#limits.timeoutMs, signal));
    this.#answers.set(key, answer);
    const oldest = this.#answers.keys().next();
    if (this.#answers.size > this.#limits.remembered && !oldest.done) this.#answers.delete(oldest.value);
    try {
      return await answer;
    } catch (error) {
      // The next caller repeats an interrupted query.
      this.#answers.delete(key);
      throw error;
    }
  }
}

/** @throws the reason that `signal` is aborted with, and no other error */
async function answerOf(
  question: () => Promise<readonly string[]>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  signal.throwIfAborted();
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  const late = sleep(timeoutMs, null, { signal: ended });
  try {
    return await Promise.race([question(), late]);
  } catch (error) {
    signal.throwIfAborted();
    return NO_SUCH.includes((error as NodeJS.ErrnoException).code) ? [] : null;
  } finally {
    end.abort();
    // The line above stops its timer, even if nobody awaits it.
    late.catch(() => undefined);
  }
}
