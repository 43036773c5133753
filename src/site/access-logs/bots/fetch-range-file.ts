import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { addressKind, addressOf, isLoopbackHost } from '../../../core/net/address-kind.ts';
import { readText } from '../../../core/net/download-limits.ts';
import { webUrl } from '../../../core/net/web-url.ts';
import { retriable } from '../../../core/time/retry.ts';

/** An operator's file has some thousand ranges. */
const MOST_BYTES = 8_000_000;
const LIMITS = { bytes: MOST_BYTES, timeoutMs: 60_000, redirects: 5 };

/**
 * Returns the text of an operator's file. Follows redirects only to https URLs. Requests a private address only if it
 * belongs to the given host.
 *
 * @throws CrawlhouseError `usage` for a forbidden address or a file that is too large, or retriable `connection`
 */
export async function fetchRangeFile(
  address: string,
  signal: AbortSignal,
  limits: Readonly<typeof LIMITS> = LIMITS,
): Promise<string> {
  const late = AbortSignal.timeout(limits.timeoutMs);
  const ended = AbortSignal.any([signal, late]);
  const first = checked(address, address);
  const agent = new Agent({ connect: { lookup: publicLookup(first.hostname) } });
  try {
    let url = first;
    for (let redirects = 0; redirects <= limits.redirects; redirects++) {
      refusePrivate(url, first.hostname);
      const answer = await request(url.href, { dispatcher: agent, signal: ended });
      const { location } = answer.headers;
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
        await answer.body.dump();
        url = checked(webUrl(location, url.href)?.href ?? location, address);
      } else {
        if (answer.statusCode !== 200) throw failed(address, `answered ${answer.statusCode}`);
        return await boundedText(answer.body, address, limits.bytes);
      }
    }
    throw failed(address, `has more than ${limits.redirects} redirects`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CrawlhouseError) throw error;
    if (late.aborted) throw failed(address, `gave no answer within ${limits.timeoutMs / 1000} s`, error);
    throw failed(address, error instanceof Error ? error.message : String(error), error);
  } finally {
    await agent.destroy();
  }
}

/** @param given the address that redirected to this one */
function checked(address: string, given: string): URL {
  const url = webUrl(address);
  if (url === null || url.protocol !== 'https:') {
    const led = address === given ? '' : ` leads to ${address}, which`;
    throw refused(`${given}${led} is not an https address`);
  }
  if (url.username !== '' || url.password !== '')
    throw refused(`${url.host}: an address with a password is not allowed`);
  return url;
}

function refusePrivate({ hostname }: URL, given: string): void {
  const address = addressOf(hostname);
  if (
    hostname !== given &&
    (isLoopbackHost(hostname) || (address !== null && addressKind(address) !== 'public'))
  )
    throw refused(`${given} leads to ${hostname}, which is not on the public Internet`);
}

/** Resolves names. Only a given `localhost` may have an address that is not public. */
function publicLookup(given: string): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }).then(
      (found) => {
        const isOwn = hostname === given && isLoopbackHost(hostname);
        const allowed = found.filter(({ address }) => isOwn || addressKind(address) === 'public');
        const [first] = allowed;
        if (first === undefined) callback(refused(`${hostname} is not on the public Internet`), '', 0);
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function refused(message: string): CrawlhouseError {
  const hint = 'download the file, check it, and use its path';
  return new CrawlhouseError('usage', message, { hint });
}

function failed(address: string, problem: string, cause?: unknown): CrawlhouseError {
  return retriable('connection', `${address} ${problem}`, cause);
}

/**
 * Returns the text of a stream.
 *
 * @param shown the name in errors
 * @throws CrawlhouseError `usage` for more bytes than `most`
 */
export async function boundedText(
  stream: AsyncIterable<Buffer>,
  shown: string,
  most = MOST_BYTES,
): Promise<string> {
  const text = await readText(stream, most);
  if (text !== null) return text;
  throw new CrawlhouseError('usage', `${shown} has more than ${most} bytes`, {
    hint: 'use a file that contains only address ranges',
  });
}
