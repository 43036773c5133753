import { z } from 'zod';

export const Given = z.string('a text is expected').min(1, 'a text is expected');

export const Bucket = Given.describe('The name of the bucket.');

/** Returns an address without user name and password. They would not be sent, but would be in each manifest. */
export function address(error: string) {
  return z.url({ protocol: /^https?$/, error }).refine((text) => {
    const { username = '', password = '' } = URL.parse(text) ?? {};
    return username === '' && password === '';
  }, 'an address without user name and password is expected');
}

export const Prefix = z
  .string()
  .default('')
  .transform((prefix) => prefix.replace(/^\/+|\/+$/g, ''))
  .describe('The prefix of the keys of data exports; slashes at both ends are ignored.');

export const Endpoint = address('an address is expected')
  .optional()
  .describe('The address of an emulator, or of a store with the same API.');
