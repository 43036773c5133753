import { z } from 'zod';
import { EARLIEST_DAY } from '../time/plausible-days.ts';
import { isTimeZone } from '../time/time-zone.ts';

/** The rules for reading access logs (docs/logs.md). */
export const LogRules = z.strictObject({
  format: z
    .string()
    .min(1)
    .default('auto')
    .describe('auto, a name, json:FIELD=KEY,…, or an Apache LogFormat or nginx log_format.'),
  time_zone: z
    .string()
    .refine(isTimeZone, 'a time zone is expected, such as Europe/Paris or UTC')
    .default('UTC')
    .describe('The IANA name of the time zone of times without an offset.'),
  hosts: z
    .array(z.string().min(1))
    .default([])
    .describe('Hosts of the site besides its own and their subdomains.'),
  earliest_day: z.iso
    .date()
    .default(EARLIEST_DAY)
    .describe('The earliest day that lines may have; the latest is the day after tomorrow.'),
  query_strings: z
    .union([z.enum(['keep', 'drop']), z.array(z.string().min(1)).min(1)])
    .default('keep')
    .describe('What to keep of query strings: keep, drop, or the names of parameters.'),
  addresses: z
    .enum(['drop', 'hash'])
    .default('drop')
    .describe('Whether to store a hash of the client address with each event, with a new salt for each day.'),
  forwarded: z
    .boolean()
    .default(false)
    .describe('Whether to take the last public address of X-Forwarded-For as the client.'),
  unreadable_percent: z
    .number()
    .min(0)
    .max(100)
    .default(1)
    .describe('The percentage of unreadable lines that is left out; a file with more is refused.'),
  verify: z
    .enum(['ranges', 'dns'])
    .default('ranges')
    .describe('How to verify bots: by the address ranges of their operators, or also by DNS.'),
});
export type LogRules = z.output<typeof LogRules>;
