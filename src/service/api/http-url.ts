import { z } from 'zod';

/** An absolute address that begins with `http://` or `https://`. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .meta({ wire: { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' } });
