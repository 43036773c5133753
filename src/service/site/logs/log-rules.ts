import { z } from 'zod';
import { EARLIEST_DAY } from '../../../core/time/plausible-days.ts';
import { isTimeZone } from '../../../core/time/time-zone.ts';

/** How access logs are read (docs/logs.md). */
export const LogRules = z.strictObject({
  format: z
    .string()
    .min(1)
    .default('auto')
    .describe('auto, a name, json:FIELD=KEY,…, or the LogFormat of Apache or log_format of nginx.'),
  time_zone: z
    .string()
    .refine(isTimeZone, 'a time zone is expected, such as Europe/Paris or UTC')
    .default('UTC')
    .describe('The IANA name of the zone of times that have no offset.'),
  hosts: z
    .array(z.string().min(1))
    .default([])
    .describe('Hosts of the site besides its own and their subdomains.'),
  earliest_day: z.iso
    .date()
    .default(EARLIEST_DAY)
    .describe('The earliest day that lines may be of; the latest is the day after tomorrow.'),
  query_strings: z
    .union([z.enum(['keep', 'drop']), z.array(z.string().min(1)).min(1)])
    .default('keep')
    .describe('What is kept of query strings: keep, drop, or the names of parameters.'),
  addresses: z
    .enum(['drop', 'hash'])
    .default('drop')
    .describe('Whether events have a hash of the address, with a salt of their day.'),
  forwarded: z
    .boolean()
    .default(false)
    .describe('Whether the client is the last public address of X-Forwarded-For.'),
  unreadable_percent: z
    .number()
    .min(0)
    .max(100)
    .default(1)
    .describe(
      'Lines of a file, in a hundred, that may be unreadable: they are left out; a file with more is refused.',
    ),
  verify: z
    .enum(['ranges', 'dns'])
    .default('ranges')
    .describe('How bots are verified: by the ranges of their operators, or also by DNS.'),
});
export type LogRules = z.output<typeof LogRules>;
