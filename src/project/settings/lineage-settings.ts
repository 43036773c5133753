import { z } from 'zod';
import { address } from '../../core/text/setting-types.ts';

/** The receivers of OpenLineage events (docs/operate.md). */
export const LineageSettings = z.strictObject({
  url: address('an address is expected, such as http://127.0.0.1:5000/api/v1/lineage')
    .optional()
    .describe('An address that each event is posted to.'),
  api_key: z.string().min(1).optional().describe('Sent with each event as a bearer token.'),
  file: z.string().min(1).optional().describe('A file that each event is appended to as a line of JSON.'),
  namespace: z.string().min(1).default('crawlhouse').describe('The namespace of the jobs.'),
});
export type LineageSettings = z.output<typeof LineageSettings>;
