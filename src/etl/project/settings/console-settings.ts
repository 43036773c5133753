import { z } from 'zod';
import { address, Given } from '../../../core/text/setting-types.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const Person = Given.refine(
  (name) => !/^(?:email:[^@]*|subject:)$/.test(name),
  'an email or a subject is expected, such as ada@example.com or subject:248289761001',
).describe('An email or a subject.');
const People = z.array(Person);
const PeopleOrAll = z.union([z.literal('all'), People]);

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

/** How people sign in to the console, and their roles (docs/console.md). */
export const ConsoleOidcSettings = z
  .strictObject({
    issuer: secureAddress('an address is expected, such as https://accounts.example').describe(
      'The address of the OpenID Connect provider.',
    ),
    client_id: Given.describe('The identifier of the console at the provider.'),
    client_secret: Given.describe('Its secret.'),
    owners: People.default([]).describe(
      'The people who can do everything: also make links and connect accounts.',
    ),
    operators: People.default([]).describe('The people who can start commands and change what is loaded.'),
    analysts: PeopleOrAll.optional().describe(
      'The people who can run SQL and write notes and tickets; all: every user of the provider.',
    ),
    viewers: PeopleOrAll.default([]).describe('The people who can read; all: every user of the provider.'),
    readers: PeopleOrAll.optional().describe('The older name of analysts.'),
  })
  .refine(({ analysts, readers }) => analysts === undefined || readers === undefined, {
    error: 'readers is the older name of analysts: set only analysts',
    path: ['readers'],
  });
export type ConsoleOidcSettings = z.output<typeof ConsoleOidcSettings>;
