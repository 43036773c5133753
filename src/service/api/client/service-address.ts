import { CrawlhouseError } from '../../../core/errors/errors.ts';

const PREFIX = '/api/v2';

/**
 * The address of a service as paths are put behind it: without a slash at its end.
 *
 * @throws CrawlhouseError `bad_settings` if it is not such an address; every request would fail
 */
export function serviceAddress(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const refuse = (what: string) =>
    new CrawlhouseError('bad_settings', `the address of the service ${what}: ${JSON.stringify(baseUrl)}`, {
      hint: `write it as https://service.example, without ${PREFIX}`,
    });
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse('must begin with http:// or https://');
  if (url.search !== '' || url.hash !== '') throw refuse('has no query and no fragment');
  const address = baseUrl.replace(/\/+$/, '');
  if (address.endsWith(PREFIX)) throw refuse(`comes without ${PREFIX}`);
  return address;
}
