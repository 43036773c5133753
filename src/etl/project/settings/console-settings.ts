import { z } from 'zod';
import { address, Given } from '../../../core/text/setting-types.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const Person = Given.refine(
  (name) => !/^(?:email:[^@]*|subject:)$/.test(name),
  'an email or a subject is expected, such as ada@example.com or subject:248289761001',
).describe('An email or a subject.');

/** Returns a schema of addresses with TLS. Only an address on this machine may omit it. */
function secureAddress(error: string) {
  return address(error).refine((text) => {
    const { protocol, hostname } = URL.parse(text) ?? { protocol: '', hostname: '' };
    return protocol === 'https:' || LOOPBACK.includes(hostname);
  }, error);
}

/** The public address of the console. Its pages link to each other from the root. */
export const ConsoleUrl = secureAddress('an address is expected, such as https://console.example').refine(
  (text) => /^https?:\/\/[^/?#]+\/?$/.test(text),
  'an address without a path is expected',
);

/** How people sign in to the console (docs/console.md). */
export const ConsoleOidcSettings = z.strictObject({
  issuer: secureAddress('an address is expected, such as https://accounts.example').describe(
    'The address of the OpenID Connect provider.',
  ),
  client_id: Given.describe('The identifier of the console at the provider.'),
  client_secret: Given.describe('Its secret.'),
  operators: z
    .array(Person)
    .default([])
    .describe('Emails or subjects (`subject:…`) of the people who can start commands.'),
  readers: z
    .union([z.literal('all'), z.array(Person)])
    .default([])
    .describe(
      'Emails or subjects (`subject:…`) of the people who can read; all: every user of the provider.',
    ),
});
export type ConsoleOidcSettings = z.output<typeof ConsoleOidcSettings>;
